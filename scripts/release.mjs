/**
 * Makes a release of what is committed: `node scripts/release.mjs 0.2.0` writes the version and the date into
 * package.json, the lock file and the changelog, commits and tags. Pushing the tag `v0.2.0` has it published by
 * `.github/workflows/release.yml`, with provenance: who built it from what is attested by the machine that did, so it
 * is never published from a desk. `--publish` is that machine's part.
 */

import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import process from 'node:process'

const VERSION = /^(\d+)\.(\d+)\.(\d+)(?:-[0-9a-z.-]+)?$/

const [, , asked] = process.argv
try {
  if (asked === '--publish') publish()
  else prepare(asked ?? '')
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}

function prepare(version) {
  if (!VERSION.test(version)) throw new Error(`"${version}" is no version: use one such as 0.2.0.`)
  if (run('git', 'status', '--porcelain')) throw new Error('Commit or undo what has changed first.')
  const changelog = readFileSync('CHANGELOG.md', 'utf8')
  const heading = /^## .*\(unreleased\)$/m
  const [, news = ''] = changelog.split(heading)
  if (!/^- /m.test(news.split(/^## /m)[0])) {
    throw new Error('CHANGELOG.md has nothing under "(unreleased)": say what is new.')
  }
  requireRepository()
  const today = new Date().toISOString().slice(0, 10)
  writeFileSync('CHANGELOG.md', changelog.replace(heading, `## ${version} (${today})`))
  run('npm', 'version', version, '--no-git-tag-version', '--allow-same-version')
  run('git', 'commit', '-am', `Release ${version}`)
  run('git', 'tag', '-a', `v${version}`, '-m', version)
  console.log(`Tagged v${version}. Push it to publish: git push --follow-tags`)
}

function publish() {
  const { version } = manifest()
  const tag = run('git', 'tag', '--points-at', 'HEAD').split('\n')
  if (!tag.includes(`v${version}`)) throw new Error(`This commit is not tagged v${version}.`)
  if (!process.env.GITHUB_ACTIONS && !process.env.GITLAB_CI) {
    throw new Error('Provenance is attested by the machine that builds: push the tag instead.')
  }
  requireRepository()
  // What is published under "latest" is what people get who name no version.
  const channel = version.includes('-') ? 'next' : 'latest'
  execFileSync('npm', ['publish', '--provenance', '--access', 'public', '--tag', channel], {
    stdio: 'inherit',
  })
}

/** Provenance names the repository, and is refused if that is another one than it was built from. */
function requireRepository() {
  if (!manifest().repository) {
    throw new Error('package.json has no "repository": provenance has to name it.')
  }
}

function manifest() {
  return JSON.parse(readFileSync('package.json', 'utf8'))
}

function run(command, ...given) {
  return execFileSync(command, given, { encoding: 'utf8' }).trim()
}
