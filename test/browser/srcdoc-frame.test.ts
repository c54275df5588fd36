import { expect, it } from 'vitest'
import { oneLab } from './lab.ts'

const lab = oneLab()

/** Its address is `about:srcdoc`, and a relative address is one of the page around it. */
it('a frame without an address of its own orders once after a lost reply', async () => {
  const tab = await lab().newTab()
  await tab.evaluate(async () => {
    const frame = document.createElement('iframe')
    const script = document.querySelector<HTMLScriptElement>('script[type=module]')
    frame.srcdoc = `<!doctype html><script type="module" src="${script?.src}"></script>`
    document.body.append(frame)
    await new Promise(resolve => frame.addEventListener('load', resolve))
    window.lab = (frame.contentWindow as Window & typeof globalThis).lab
  })
  lab().server.next('lose-reply')
  const outcome = await tab.evaluate(() => {
    window.lab.open()
    return window.lab.submit()
  })
  expect(outcome).toMatchObject({ state: 'succeeded', from: 'replay' })
  expect(lab().keys()).toEqual([outcome.key])
  expect(lab().bodies()).toHaveLength(1)
  expect(lab().orders()).toHaveLength(1)
})
