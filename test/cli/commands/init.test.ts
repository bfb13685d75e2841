import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { docPages } from '../../../src/cli/package/doc-pages.js';
import { examples } from '../../../src/cli/package/examples.js';
import { compile } from '../../../src/compiler/compile.js';
import { version } from '../../../src/version.js';
import { directoryWith } from '../../support/directory-with.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { attractor } from '../attractor.js';

const root = path.resolve(import.meta.dirname, '../../..');
const dotFiles = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.dot'));
const templates = examples.flatMap(({ name, template, others }) =>
  template === undefined ? [] : [{ template, files: [`${name}.dot`, ...others] }],
);

const published = `https://unpkg.com/attractor-dot@${version}`;

describe('attractor init', () => {
  test.each(templates)('$template writes pipelines without findings', async ({ template, files }) => {
    const cwd = temporaryDirectory();
    const { status, stdout } = await attractor(['init', 'flows', '--template', template], { cwd });
    expect(status).toBe(0);
    expect(readdirSync(path.join(cwd, 'flows')).sort()).toEqual([...files].sort());
    for (const name of dotFiles(path.join(cwd, 'flows'))) {
      const text = readFileSync(path.join(cwd, 'flows', name), 'utf8');
      expect(compile(text, { name }).diagnostics).toEqual([]);
      // It is called from where it lies.
      expect(text).not.toContain('examples/');
    }
    const script = files.find((name) => name.endsWith('.script.yaml')) ?? expect.unreachable();
    const [first] = readFileSync(path.join(cwd, 'flows', script), 'utf8').split('\n');
    expect(first).toBe(`# yaml-language-server: $schema=${published}/docs/script.schema.json`);
    expect(stdout).toContain(`wrote flows/${files[0]}\n`);
    expect(stdout).toContain(`attractor lint flows/${files[0]}\n`);
  });

  test.each(templates)('$template plays what it tells a person to do next', async ({ template }) => {
    const cwd = temporaryDirectory();
    const { stdout } = await attractor(['init', '--template', template], { cwd });
    const calls = [...stdout.matchAll(/^ {2}attractor (.*)$/gm)].map(([, call = '']) => call.split(' '));
    expect(calls).toHaveLength(2);
    for (const call of calls) expect(await attractor(call, { cwd })).toMatchObject({ status: 0 });
  });

  test('overwrites nothing, and then writes nothing', async () => {
    const cwd = directoryWith({ 'review-loop.script.yaml': 'mine' });
    const { status, stderr } = await attractor(['init', '--template', 'approval'], { cwd });
    expect(status).toBe(2);
    expect(stderr).toContain('review-loop.script.yaml exists already; nothing was written');
    expect(readdirSync(cwd)).toEqual(['review-loop.script.yaml']);
  });

  test.each([
    [['--template', 'aproval'], 'there is no template "aproval" (did you mean "approval"?)'],
    [[], 'name a template with --template:\nfix-until-green  '],
    [['file/x', '--template', 'approval'], 'cannot write to file/x: '],
  ])('refuses %j', async (args, message) => {
    const cwd = directoryWith({ file: '' });
    const { status, stderr } = await attractor(['init', ...args], { cwd });
    expect(status).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe('attractor example', () => {
  test('knows every pipeline of the package', () => {
    const children = examples.flatMap(({ others }) => others);
    const known = [...examples.map(({ name }) => `${name}.dot`), ...children];
    expect(dotFiles(path.join(root, 'examples')).filter((name) => !known.includes(name))).toEqual([]);
  });

  test('prints one, and the list', async () => {
    const text = readFileSync(path.join(root, 'examples/map-reduce.dot'), 'utf8');
    expect(await attractor(['example', 'map-reduce'])).toEqual({ status: 0, stdout: text, stderr: '' });
    const { stdout } = await attractor(['example']);
    expect(stdout.split('\n').slice(0, -1)).toHaveLength(examples.length);
  });
});

describe('attractor docs', () => {
  const files = readdirSync(path.join(root, 'docs')).filter((name) => name.endsWith('.md'));

  test('has every page of the documentation, and says what is on it', () => {
    const pages = docPages();
    const named = new Set(pages.map(({ file }) => file));
    expect(files.filter((name) => name !== 'README.md' && !named.has(`docs/${name}`))).toEqual([]);
    expect(named.size).toBe(pages.length);
    expect(pages.filter(({ summary, group }) => summary === '' || group === '')).toEqual([]);
  });

  test('prints one, all, and the list', async () => {
    const text = readFileSync(path.join(root, 'docs/values.md'), 'utf8');
    expect(await attractor(['docs', 'values'])).toEqual({ status: 0, stdout: text, stderr: '' });
    const all = await attractor(['docs', '--all']);
    expect(all.stdout).toContain(text);
    const list = await attractor(['docs', '--json']);
    expect(JSON.parse(list.stdout).pages).toEqual(docPages());
    const unknown = await attractor(['docs', 'value']);
    expect(unknown).toMatchObject({ status: 2, stderr: expect.stringContaining('did you mean "values"?') });
  });
});
