import { afterEach, expect, describe as group, it, vi } from 'vitest'
import { forgetDrafts } from '../../src/draft.ts'

// What needs a form is shown in a browser: test/browser/hook-draft.test.ts.

afterEach(() => {
  vi.unstubAllGlobals()
})

group('signing out', () => {
  it('leaves nothing of what was typed, and all that is not a draft', () => {
    const tab = { 'sendonce:draft:a': '1', 'sendonce:draft:b': '2', 'app:theme': 'dark' }
    Object.defineProperty(tab, 'removeItem', {
      value: (name: string) => Reflect.deleteProperty(tab, name),
    })
    vi.stubGlobal('sessionStorage', tab)
    forgetDrafts()
    expect(tab).toEqual({ 'app:theme': 'dark' })
  })

  it('has nothing to forget where storage is denied', () => {
    vi.stubGlobal('sessionStorage', undefined)
    expect(() => forgetDrafts()).not.toThrow()
  })
})
