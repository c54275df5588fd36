import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const script = fileURLToPath(new URL('../../scripts/release.mjs', import.meta.url))
const NEWS =
  '# Changelog\n\n## 0.2.0 (unreleased)\n\n- A thing.\n\n## 0.1.0 (2026-01-01)\n\n- Before.\n'

let folder: string
const write = (file: string, text: string) => writeFileSync(join(folder, file), text)
const read = (file: string) => readFileSync(join(folder, file), 'utf8')
const git = (...given: string[]) => execFileSync('git', given, { cwd: folder, encoding: 'utf8' })
const release = (...given: string[]) => {
  const { CI, GITHUB_ACTIONS, GITLAB_CI, ...env } = process.env
  const { status, stderr } = spawnSync(process.execPath, [script, ...given], { cwd: folder, env })
  return { status, said: String(stderr) }
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sendonce-release-'))
  git('init', '-q')
  git('config', 'user.email', 'ada@example.test')
  git('config', 'user.name', 'Ada')
  const manifest = { name: 'thing', version: '0.1.0', repository: 'github:ada/thing' }
  write('package.json', JSON.stringify(manifest))
  write('CHANGELOG.md', NEWS)
  git('add', '.')
  git('commit', '-qm', 'Begin')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('a release', () => {
  it('is a commit and a tag, with version and date in their places', () => {
    expect(release('0.2.0')).toMatchObject({ status: 0 })
    expect(JSON.parse(read('package.json'))).toMatchObject({ version: '0.2.0' })
    expect(read('CHANGELOG.md')).toMatch(/^## 0\.2\.0 \(\d{4}-\d\d-\d\d\)$/m)
    expect(read('CHANGELOG.md')).toContain('## 0.1.0 (2026-01-01)')
    expect(git('tag').trim()).toBe('v0.2.0')
    expect(git('status', '--porcelain')).toBe('')
    expect(git('log', '-1', '--format=%s').trim()).toBe('Release 0.2.0')
  })

  it.each([
    ['of no version', () => {}, 'next', /is no version/],
    ['of what is not committed', () => write('package.json', '{}'), '0.2.0', /Commit or undo/],
    [
      'without news',
      () => {
        write('CHANGELOG.md', NEWS.replace('- A thing.\n', ''))
        git('commit', '-qam', 'Nothing')
      },
      '0.2.0',
      /nothing under/,
    ],
    [
      'from nowhere',
      () => {
        write('package.json', '{"version":"0.1.0"}')
        git('commit', '-qam', 'Nowhere')
      },
      '0.2.0',
      /no "repository"/,
    ],
  ])('%s is refused, and changes nothing', (_, prepare, version, why) => {
    prepare()
    const before = git('log', '--format=%H')
    const { status, said } = release(version)
    expect(status).toBe(1)
    expect(said).toMatch(why)
    expect([git('log', '--format=%H'), git('tag')]).toEqual([before, ''])
  })

  it('is published by a machine that attests to it, and never from a desk', () => {
    expect(release('--publish').said).toMatch(/not tagged v0\.1\.0/)
    release('0.2.0')
    const { status, said } = release('--publish')
    expect(status).toBe(1)
    expect(said).toMatch(/push the tag/)
  })
})
