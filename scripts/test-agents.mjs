// Runs the tests that need real coding agents (e2e/agents), after installing those. What cannot be installed or started is skipped,
// with the reason in the title of the test.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const agents = join(root, 'e2e/agents');

const problem = process.env.ATTRACTOR_AGENTS === undefined ? install() : undefined;
if (problem !== undefined) console.error(`test:agents: not all agents are installed: ${problem}`);
const { status } = spawnSync(
  process.execPath,
  [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--config',
    'vitest.agents.config.ts',
    ...process.argv.slice(2),
  ],
  { cwd: root, stdio: 'inherit', env: { ...process.env, ATTRACTOR_AGENTS_PROBLEM: problem ?? '' } },
);
process.exitCode = status ?? 1;

/**
 * Installs what the lock file says, unless it has been installed already; gives the reason where that fails. The agents are optional
 * in there, so that one which cannot be had keeps none of the others away; the next time it is tried again.
 */
function install() {
  const stamp = join(agents, 'node_modules/.attractor-stamp');
  const wanted = createHash('sha256')
    .update(readFileSync(join(agents, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return undefined;
  const failed = attempt() && attempt();
  if (failed) return failed;
  const { optionalDependencies } = JSON.parse(readFileSync(join(agents, 'package.json'), 'utf8'));
  const missing = Object.keys(optionalDependencies).filter(
    (name) => !existsSync(join(agents, 'node_modules', name)),
  );
  if (missing.length > 0) return `npm could not install ${missing.join(', ')}`;
  writeFileSync(stamp, wanted);
  return undefined;
}

/**
 * A registry may be busy: this is tried twice. The scripts of most packages build what nobody needs here. `npm ci` would refuse the lock
 * file where the registry lacks the packages of other systems, which are optional; `npm install` keeps to its versions, too.
 */
function attempt() {
  const flags = ['--no-save', '--prefix', agents, '--ignore-scripts', '--no-audit', '--no-fund'];
  const failed = failureOf('npm', ['install', ...flags]);
  if (failed !== undefined) return failed;
  for (const name of ['@anthropic-ai/claude-code/install.cjs', 'opencode-ai/postinstall.mjs']) {
    const script = join(agents, 'node_modules', name);
    const broken = existsSync(script) ? failureOf(process.execPath, [script]) : undefined;
    if (broken !== undefined) return broken;
  }
  return undefined;
}

function failureOf(program, args) {
  const { status, signal, error } = spawnSync(program, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: 600_000,
  });
  if (status === 0) return undefined;
  return `\`${program} ${args[0]}\` ended with ${error?.message ?? signal ?? `exit status ${status}`}`;
}
