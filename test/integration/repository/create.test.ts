import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { root } from '../../docs/markdown.js';
import { directoryWith } from '../../support/directory-with.js';
import { type PackedPackage, packageRegistry, packPackage } from '../../support/package-registry.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { buildBundle } from '../docs/built.js';

beforeAll(buildBundle);

let packed: readonly PackedPackage[] | undefined;

const directory = path.join(root, 'packages/create-attractor-dot');
const manifestOf = (at: string) => JSON.parse(readFileSync(path.join(at, 'package.json'), 'utf8'));

/** `npm create attractor-dot …` of a person who has neither package, with a registry that offers both. */
async function create(args: readonly string[], answer?: string) {
  packed ??= [root, directory].map((at) => packPackage(at, temporaryDirectory()));
  const registry = await packageRegistry(packed, temporaryDirectory());
  const cwd = directoryWith({});
  const call = ['npm', 'create', '--yes', 'attractor-dot', ...args];
  // `script` of util-linux gives the call a terminal.
  const [program = '', ...rest] =
    answer === undefined ? call : ['script', '--quiet', '--return', '--command', call.join(' '), '/dev/null'];
  const env = { ...process.env, npm_command: undefined, ...registry };
  const child = spawn(program, rest, { cwd, env, stdio: 'pipe' });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    output.stdout += chunk;
    if (answer !== undefined && output.stdout.includes('Select: ')) child.stdin.end(answer);
  });
  child.stderr.on('data', (chunk) => (output.stderr += chunk));
  if (answer === undefined) child.stdin.end();
  const status = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { status, cwd, files: readdirSync(cwd, { recursive: true }).map(String).sort(), ...output };
}

test('both packages have one version, and one names the other', () => {
  const [own, other] = [manifestOf(directory), manifestOf(root)];
  expect(own.name).toBe(`create-${other.name}`);
  expect({ version: own.version, dependencies: own.dependencies, engines: own.engines }).toEqual({
    version: other.version,
    dependencies: { [other.name]: other.version },
    engines: other.engines,
  });
});

test('without a terminal, the template is an argument', async () => {
  const { status, cwd, files, stdout, stderr } = await create(['flows', '--', '--template', 'approval']);
  expect({ status, files, stderr }).toMatchObject({
    status: 0,
    files: ['flows', 'flows/review-loop.dot', 'flows/review-loop.script.yaml'],
  });
  expect(stdout).toContain('Next:\n  npx attractor-dot lint flows/review-loop.dot\n');
  const bin = path.join(root, 'bin/attractor.js');
  execFileSync(process.execPath, [bin, 'lint', 'flows/review-loop.dot'], { cwd, stdio: 'pipe' });
});

test('on a terminal, it asks', async () => {
  const { status, files, stdout } = await create([], '3\n');
  expect({ status, stdout, files }).toMatchObject({
    status: 0,
    files: ['map-reduce.dot', 'map-reduce.script.yaml'],
  });
  expect(stdout).toContain('Which pipeline do you want to begin with?');
});

test('a mistake is told, with its exit status', async () => {
  const missing = await create([]);
  expect(missing).toMatchObject({ status: 2, files: [] });
  expect(missing.stderr).toContain('attractor: name a template with --template:\n');
  const unknown = await create(['--', '--template', 'aproval']);
  expect(unknown).toMatchObject({ status: 2, files: [] });
  expect(unknown.stderr).toContain('there is no template "aproval" (did you mean "approval"?)');
});
