import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import type { ChromiumTab } from './driver/chromium-only.ts'
import { oneChromium } from './driver/one-chromium.ts'

declare global {
  interface Window {
    /** What the page heard, in order. */
    heard: Heard[]
  }
}
interface Heard {
  readonly type: string
  readonly trusted: boolean
  readonly at: number
  /** Of a `pageshow` or `pagehide`. */
  readonly persisted: boolean | undefined
}

const chromium = oneChromium()

let server: Server
let port: number
beforeAll(async () => {
  server = createServer((request, response) => {
    const page = request.url === '/blank.html'
    response.writeHead(page ? 200 : 404, { 'Content-Type': 'text/html' })
    response.end(page ? readFileSync(join(inject('pages'), 'blank.html')) : '')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const url = (host = '127.0.0.1') => `http://${host}:${port}/blank.html`

/** A page with a form, that takes down what it hears of these events. */
async function pageThatHears(...types: string[]): Promise<ChromiumTab> {
  const tab = await chromium().newTab(url())
  await tab.evaluate(types => {
    document.body.innerHTML = '<form><input name="name"><button>Send</button></form>'
    window.heard = []
    const hear = (event: Event) => {
      if (event.type === 'submit') event.preventDefault()
      window.heard.push({
        type: event.type,
        trusted: event.isTrusted,
        at: event.timeStamp,
        persisted: event instanceof PageTransitionEvent ? event.persisted : undefined,
      })
    }
    for (const type of types) window.addEventListener(type, hear, { capture: true })
  }, types)
  return tab
}

const heard = (tab: ChromiumTab) => tab.evaluate(() => window.heard)
const typesOf = (events: readonly Heard[]) => events.map(({ type }) => type)

describe('input', () => {
  it('clicks with trusted events', async () => {
    const tab = await pageThatHears('mousedown', 'mouseup', 'click', 'submit')
    await tab.click('button')
    const events = await heard(tab)
    expect(typesOf(events)).toEqual(['mousedown', 'mouseup', 'click', 'submit'])
    expect(events.every(({ trusted }) => trusted)).toBe(true)
  })

  it.each([0, 10, 50, 80])('makes a double click of two clicks %i ms apart', async gapMs => {
    const tab = await pageThatHears('mousedown', 'mouseup', 'submit', 'dblclick')
    await tab.click('button', { times: 2, gapMs })
    const events = await heard(tab)
    const click = ['mousedown', 'mouseup', 'submit']
    expect(typesOf(events)).toEqual([...click, ...click, 'dblclick'])
    const [, release, , press] = events.map(({ at }) => at)
    expect(Number(press) - Number(release)).toBeGreaterThanOrEqual(gapMs)
  })

  it('submits twice when Enter is pressed twice, on a slow processor too', async () => {
    const tab = await pageThatHears('submit')
    await tab.type('input', 'Ada')
    await tab.throttleCpu(20)
    await tab.press('Enter', { times: 2, gapMs: 50 })
    expect(typesOf(await heard(tab))).toEqual(['submit', 'submit'])
    expect(await tab.evaluate(() => document.querySelector('input')?.value)).toBe('Ada')
  })

  it('refuses to click what a user could not', async () => {
    const tab = await pageThatHears('click')
    await expect(tab.click('#none')).rejects.toThrow('Nothing on the page matches #none')
    await tab.evaluate(() => {
      document.body.insertAdjacentHTML('beforeend', '<p style="position:fixed;inset:0"></p>')
    })
    await expect(tab.click('button')).rejects.toThrow('button is covered by <p')
    await chromium().newTab()
    await expect(tab.press('Enter')).rejects.toThrow('hidden tab')
    expect(await heard(tab)).toEqual([])
  })
})

describe('tabs', () => {
  it('share one database', async () => {
    const [writer, reader] = await Promise.all([chromium().newTab(url()), chromium().newTab(url())])
    await writer.evaluate(
      () =>
        new Promise<void>(resolve => {
          const opening = indexedDB.open('shared')
          opening.onupgradeneeded = () => opening.result.createObjectStore('one')
          opening.onsuccess = () => {
            const transaction = opening.result.transaction('one', 'readwrite')
            transaction.objectStore('one').put('written', 'key')
            transaction.oncomplete = () => resolve()
          }
        }),
    )
    const read = await reader.evaluate(
      () =>
        new Promise<unknown>(resolve => {
          const opening = indexedDB.open('shared')
          opening.onsuccess = () => {
            const getting = opening.result.transaction('one').objectStore('one').get('key')
            getting.onsuccess = () => resolve(getting.result)
          }
        }),
    )
    expect(read).toBe('written')
  })

  it('share locks, and a tab that crashes lets go of its own', async () => {
    const holder = await chromium().newTab(url())
    const other = await chromium().newTab(url())
    await holder.evaluate(
      () =>
        new Promise<void>(resolve => {
          void navigator.locks.request('lock', () => {
            resolve()
            return new Promise(() => {})
          })
        }),
    )
    const isFree = () =>
      navigator.locks.request('lock', { ifAvailable: true }, lock => lock !== null)
    expect(await other.evaluate(isFree)).toBe(false)
    await holder.crash()
    await other.waitFor(isFree)
  })

  it('tell what went wrong in them', async () => {
    const tab = await chromium().newTab(url())
    await tab.evaluate(async () => {
      console.error('said', 42)
      setTimeout(() => {
        throw new Error('thrown')
      })
      void Promise.reject(new Error('rejected'))
      await fetch('/missing')
    })
    const errors: string[] = []
    while (errors.length < 3) {
      await tab.evaluate(() => {})
      errors.push(...tab.takeErrors())
    }
    expect(errors.map(error => error.split('\n')[0]).toSorted()).toEqual([
      'Error: Uncaught (in promise) Error: rejected',
      'Error: Uncaught Error: thrown',
      'said 42',
    ])
  })
})

describe('the life of a page', () => {
  it('comes back alive from the back-forward cache', async () => {
    const tab = await pageThatHears('pagehide', 'pageshow')
    await tab.open(url('other.test'))
    expect(await tab.back()).toEqual({ fromCache: true, reasons: [] })
    const events = await heard(tab)
    expect(typesOf(events)).toEqual(['pagehide', 'pageshow'])
    expect(events.every(({ persisted }) => persisted)).toBe(true)
  })

  it('says why a page did not come back alive', async () => {
    const tab = await chromium().newTab(url())
    await tab.evaluate(() => window.addEventListener('unload', () => {}))
    await tab.open(url('other.test'))
    expect(await tab.back()).toEqual({
      fromCache: false,
      reasons: ['UnloadHandlerExistsInMainFrame'],
    })
  })

  it('freezes in the background and resumes', async () => {
    const tab = await pageThatHears('freeze', 'resume')
    await expect(tab.freeze()).rejects.toThrow('A visible tab does not freeze')
    await chromium().newTab()
    await tab.freeze()
    expect(typesOf(await heard(tab))).toEqual(['freeze'])
    await tab.unfreeze()
    expect(typesOf(await heard(tab))).toEqual(['freeze', 'resume'])
  })

  it('goes offline and online', async () => {
    const tab = await pageThatHears('offline', 'online')
    const reaches = () =>
      fetch(location.href).then(
        () => true,
        () => false,
      )
    await tab.goOffline()
    expect(await tab.evaluate(reaches)).toBe(false)
    await tab.goOnline()
    expect(await tab.evaluate(reaches)).toBe(true)
    expect(typesOf(await heard(tab))).toEqual(['offline', 'online'])
  })

  it('has no locks on a plain http origin', async () => {
    const secure = await chromium().newTab(url())
    const plain = await chromium().newTab(url('shop.test'))
    const capabilities = () => [isSecureContext, 'locks' in navigator]
    expect(await secure.evaluate(capabilities)).toEqual([true, true])
    expect(await plain.evaluate(capabilities)).toEqual([false, false])
  })

  it('outlives, on disk, a browser that is killed', async () => {
    const tab = await chromium().newTab(url())
    await tab.evaluate(
      () =>
        new Promise<void>(resolve => {
          indexedDB.open('kept').onsuccess = () => resolve()
        }),
    )
    await chromium().kill()
    await chromium().restart()
    const again = await chromium().newTab(url())
    const names = await again.evaluate(async () =>
      (await indexedDB.databases()).map(({ name }) => name),
    )
    expect(names).toContain('kept')
  })
})
