// The crash proof (DESIGN §1.3) in its long form: the tests in test/proof/crash, with more of everything. Runs are cut off after
// every line of their journals and within lines, processes are killed at random moments, and every call to the disk fails in
// turn; each run must come to the same end, and nothing recorded may be done again.
//
//   node bench/crash.mjs [--kills 200] [--seed N] [--stride 101] [--only cut-off,kills,storage-faults] [--dir DIR]
//
// --kills is for each of two pipelines, --stride how many bytes lie between two cuts within lines: 1 tries every byte, which
// takes hours. --seed repeats the moments of an earlier run.

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

const root = join(import.meta.dirname, '..');

const { values: options } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    stride: { type: 'string', default: '101' },
    only: { type: 'string', default: 'cut-off,kills,storage-faults' },
    dir: { type: 'string', default: tmpdir() },
  },
});

const home = mkdtempSync(join(options.dir, 'attractor-bench-'));
try {
  build();
  process.exitCode = report(await runTests());
} finally {
  rmSync(home, { recursive: true, force: true });
}

/** The processes that are killed are those of the built command line. */
function build() {
  const args = [join(root, 'scripts/build.mjs'), '--bundle-only'];
  const { status } = spawnSync(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error('the command line could not be built');
}

/** @returns the results in the format of vitest's reporter `json` */
async function runTests() {
  const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
  const results = join(home, 'results.json');
  const files = options.only.split(',').map((name) => `test/proof/crash/${name}.test.ts`);
  const child = spawn(
    process.execPath,
    [
      vitest,
      'run',
      '--config',
      'vitest.proof.config.ts',
      ...files,
      '--reporter=json',
      `--outputFile=${results}`,
    ],
    {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        ...process.env,
        TMPDIR: home,
        SEED: options.seed,
        ATTRACTOR_THOROUGH_TESTS: '1',
        ATTRACTOR_KILLS: options.kills,
        ATTRACTOR_CUT_STRIDE: options.stride,
      },
    },
  );
  await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return JSON.parse(readFileSync(results, 'utf8'));
}

/** @returns the exit status */
function report({ testResults, success }) {
  for (const { name, assertionResults } of testResults) {
    process.stdout.write(`\n${basename(name, '.test.ts')}\n`);
    for (const test of assertionResults) process.stdout.write(`${row(test)}\n`);
  }
  const failures = testResults.flatMap(({ message, assertionResults }) => [
    ...(message ? [message] : []),
    ...assertionResults.flatMap(({ failureMessages }) => failureMessages.slice(0, 3)),
  ]);
  for (const message of failures) process.stdout.write(`\n${message.split('\n').slice(0, 12).join('\n')}\n`);
  const verdict = success ? 'PASS' : 'FAIL';
  process.stdout.write(
    `\n${verdict}: whatever happened, every run came to the same end (--seed ${options.seed})\n`,
  );
  return success ? 0 : 1;
}

function row({ ancestorTitles, title, status, duration, meta }) {
  const counts = Object.entries(meta?.crashProof ?? {}).map(([what, count]) => `${count} ${what}`);
  const seconds = `${((duration ?? 0) / 1000).toFixed(1)} s`;
  const what = [...ancestorTitles.map((name) => name.replace(/^.*?: /, '')), title].join(' › ');
  return [
    status === 'passed' ? 'pass' : status === 'failed' ? 'FAIL' : status,
    seconds.padStart(9),
    counts.join(', ').padStart(34),
    ` ${what}`,
  ].join(' ');
}
