import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/graph/json.js';
import { combinePlugins, type Extensions } from '../../src/plugins/combine-plugins.js';
import { type LoadedPlugin, loadPlugins } from '../../src/plugins/load-plugins.js';
import { RunError } from '../../src/run-directory/run-error.js';
import { directoryOf } from './files.js';

type Named = string | { readonly module: string; readonly options?: JsonValue };
type Files = Readonly<Record<string, string>>;

function load(baseDirectory: string, ...named: readonly Named[]): Promise<readonly LoadedPlugin[]> {
  return loadPlugins(
    named.map((entry) => ({
      ...(typeof entry === 'string' ? { module: entry } : entry),
      baseDirectory,
      namedBy: '--plugin',
    })),
  );
}

function combine(loaded: readonly LoadedPlugin[]): Extensions {
  return combinePlugins(loaded, { interviewers: new Set(['console']), backends: new Set(['simulate']) });
}

/** Why these plugins cannot be used, with their directory as `<here>`. */
async function refusal(files: Files, ...named: readonly Named[]): Promise<string> {
  const directory = directoryOf(files);
  try {
    combine(await load(directory, ...named));
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    expect(error.code).toBe('usage');
    return error.message.replaceAll(directory, '<here>');
  }
  throw new Error('nothing was refused');
}

/** A module with a plugin of these fields. */
const module = (fields: string) => `export default { name: 'p', ${fields} };`;

describe('a plugin may be', () => {
  test.each<[what: string, name: string, files: Files]>([
    ['a file with a default export', './p.mjs', { 'p.mjs': module('') }],
    ['a file with an export called plugin', './p.mjs', { 'p.mjs': "export const plugin = { name: 'p' };" }],
    ['a function', './p.mjs', { 'p.mjs': "export default () => ({ name: 'p' });" }],
    ['a function that takes its time', './p.mjs', { 'p.mjs': "export default async () => ({ name: 'p' });" }],
    ['CommonJS', './p.cjs', { 'p.cjs': "module.exports = { name: 'p' };" }],
    ['CommonJS with an export called plugin', './p.cjs', { 'p.cjs': "exports.plugin = { name: 'p' };" }],
    [
      'CommonJS made from an ES module',
      './p.cjs',
      {
        'p.cjs':
          "Object.defineProperty(exports, '__esModule', { value: true }); exports.default = { name: 'p' };",
      },
    ],
    ['in the directory above', '../p.mjs', { '../p.mjs': module('') }],
    [
      'a package',
      'acme',
      {
        'node_modules/acme/package.json': '{ "name": "acme", "main": "./lib.mjs" }',
        'node_modules/acme/lib.mjs': module(''),
      },
    ],
    [
      'a package for import only',
      '@acme/rules',
      {
        'node_modules/@acme/rules/package.json':
          '{ "name": "@acme/rules", "type": "module", "exports": { "types": "./no.d.ts", "import": "./lib.js" } }',
        'node_modules/@acme/rules/lib.js': module(''),
      },
    ],
    [
      'a part of a package',
      'acme/plugin',
      {
        'node_modules/acme/package.json':
          '{ "name": "acme", "exports": { ".": "./no.mjs", "./plugin": [{ "import": { "node": "./lib.mjs" } }] } }',
        'node_modules/acme/lib.mjs': module(''),
      },
    ],
  ])('%s', async (_what, name, files) => {
    const [loaded] = await load(directoryOf(files), name);
    expect(loaded?.plugin.name).toBe('p');
  });

  test('given options', async () => {
    const text = 'export default (options) => ({ name: "p" + options.size });';
    const [loaded] = await load(directoryOf({ 'p.mjs': text }), { module: './p.mjs', options: { size: 3 } });
    expect(loaded).toMatchObject({ plugin: { name: 'p3' }, options: { size: 3 } });
  });

  test('named twice, and is then loaded once', async () => {
    const directory = directoryOf({ 'p.mjs': 'export default (options) => ({ name: "p" + options });' });
    const one = { module: './p.mjs', options: 1 };
    expect(await load(directory, one, './p.mjs', path.join(directory, 'p.mjs'), one)).toHaveLength(1);
    const both = await load(directory, one, { module: './p.mjs', options: 2 });
    expect(both.map(({ plugin }) => plugin.name)).toEqual(['p1', 'p2']);
  });

  test('made of objects that need their class', async () => {
    const text = `class Rule {
      name = 'r'; severity = 'info'; summary = 's'; #found = 'm';
      *apply(graph) { yield { message: this.#found, span: graph.nameSpan }; }
    }
    export default { name: 'p', rules: [new Rule()] };`;
    const { rules } = combine(await load(directoryOf({ 'p.mjs': text }), './p.mjs'));
    const graph = { nameSpan: { start: 0, end: 1 } } as never;
    expect([...(rules[0]?.apply(graph, {} as never) ?? [])]).toMatchObject([{ message: 'm' }]);
  });
});

const handlerX = "handlers: [{ type: 'x', handler: { execute() {} } }]";

describe('a plugin is refused that', () => {
  test.each<[why: string, message: RegExp, text: string]>([
    ['exports nothing', /is not a plugin: it exports nothing; expected `export default definePlugin/, ''],
    ['exports other things', /it exports only rules, two;/, 'export const rules = []; export const two = 2;'],
    [
      'throws',
      /\(--plugin\) cannot be loaded: no luck \(<here>\/p\.mjs:2\)$/,
      "\nthrow new Error('no luck');",
    ],
    ['throws a text', /cannot be loaded: it threw no luck$/, "throw 'no luck';"],
    ['imports what is not there', /cannot be loaded: .*Cannot find package 'nowhere'/, "import 'nowhere';"],
    [
      'cannot find this package',
      /Install attractor-dot next to the plugin, or export a plain object/,
      "import 'attractor-dot';",
    ],
    [
      'is a function that throws',
      /cannot be made: no luck \(<here>\/p\.mjs:1\)/,
      "export default () => { throw new Error('no luck'); };",
    ],
    ['is a function that gives nothing', /is not a plugin: expected object/, 'export default () => {};'],
    ['is a text', /is not a plugin: expected object, received string$/, "export default 'p';"],
    ['has no name', /is not a plugin: name: expected string, but it is missing/, 'export default {};'],
    ['misspells a field', /handler: unknown key \(did you mean "handlers"\?\)/, module('handler: []')],
    ['has an unknown field', /zzz: unknown key; expected "name", "handlers", /, module('zzz: []')],
    ['has no list', /rules: expected array, received object/, module('rules: {}')],
    [
      'has a handler without a function',
      /handlers\[0\]\.handler: expected an object with a function "execute"/,
      module("handlers: [{ type: 'x', handler: {} }]"),
    ],
    [
      'misspells what it says of a handler',
      /handlers\[0\]\.titel: unknown key \(did you mean "title"\?\)/,
      module("handlers: [{ type: 'x', titel: '', handler: { execute() {} } }]"),
    ],
    [
      'has a blank in a type',
      /handlers\[0\]\.type: expected a name without blanks/,
      module("handlers: [{ type: 'x y', handler: { execute() {} } }]"),
    ],
    [
      'has a transform that is none',
      /transforms\[0\]: expected an object with a function "apply" or "transform"/,
      module("transforms: [{ name: 't' }]"),
    ],
    [
      'has a rule with an unknown severity',
      /rules\[0\]\.severity: expected one of "error", "warning", "info"/,
      module("rules: [{ name: 'r', severity: 'fatal', summary: '', apply() {} }]"),
    ],
    [
      'has a backend that cannot be made',
      /backends\[0\]\.create: expected a function/,
      module("backends: [{ name: 'b' }]"),
    ],
    [
      'has a rule by the name of a built-in one',
      /the lint rule "start_node" of the plugin "p" \(<here>\/p\.mjs\) is built in\. Give/,
      module("rules: [{ name: 'start_node', severity: 'info', summary: '', apply() {} }]"),
    ],
    [
      'has a rule by the name of what the parser says',
      /the lint rule "syntax" .* is built in/,
      module("rules: [{ name: 'syntax', severity: 'info', summary: '', apply() {} }]"),
    ],
    [
      'has a backend called simulate',
      /the backend "simulate" .* is built in/,
      module("backends: [{ name: 'simulate', create() {} }]"),
    ],
    [
      'has an interviewer called console',
      /the interviewer "console" .* is built in/,
      module("interviewers: [{ name: 'console', create() {} }]"),
    ],
    [
      'has a type twice',
      /the handler type "x" of the plugin "p" .* is in it twice/,
      module(
        "handlers: [{ type: 'x', handler: { execute() {} } }, { type: 'x', handler: { execute() {} } }]",
      ),
    ],
    [
      'says again what a built-in type is',
      /replaces the handler of `tool`, which is built in: its "llm" cannot be changed/,
      module("handlers: [{ type: 'tool', llm: true, handler: { execute() {} } }]"),
    ],
  ])('%s', async (_why, message, text) => {
    expect(await refusal({ 'p.mjs': text }, './p.mjs')).toMatch(message);
  });

  test.each<[why: string, message: RegExp, name: string, files: Files]>([
    [
      'is not there',
      /"\.\/p\.mjs" \(--plugin\) cannot be found: <here>\/p\.mjs does not exist$/,
      './p.mjs',
      {},
    ],
    ['is misspelt', /does not exist \(did you mean "rules\.mjs"\?\)/, './ruels.mjs', { 'rules.mjs': '' }],
    [
      'is a directory',
      /is a directory; name the module in it, such as <here>\/p\/index\.mjs/,
      './p',
      { 'p/x': '' },
    ],
    ['is not installed', /no package of that name is installed where <here> would find it/, 'acme', {}],
    [
      'is a file without ./',
      /no package of that name is installed; for the file write \.\/p\.mjs/,
      'p.mjs',
      { 'p.mjs': '' },
    ],
    ['is an address', /an address cannot be loaded/, 'https://example.org/p.mjs', {}],
    ['is part of Node', /a built-in module of Node/, 'fs', {}],
    ['is data', /<here>\/p\.json is not a JavaScript module/, './p.json', { 'p.json': '{}' }],
    ['has no name', /it has no name/, '', {}],
    [
      'is not exported',
      /acme does not export "\.\/plugin"/,
      'acme/plugin',
      { 'node_modules/acme/package.json': '{ "name": "acme", "exports": { ".": "./lib.mjs" } }' },
    ],
  ])('%s', async (_why, message, name, files) => {
    expect(await refusal(files, name)).toMatch(message);
  });

  test.skipIf('typescript' in process.features)('is TypeScript, where Node cannot load it', async () => {
    expect(await refusal({ 'p.ts': module('') }, './p.ts')).toMatch(
      /p\.ts is TypeScript, which Node .* cannot load\. Compile it/,
    );
  });

  test('has a handler type that another has, too', async () => {
    const files = { 'p.mjs': module(handlerX), 'q.mjs': `export default { name: 'q', ${handlerX} };` };
    expect(await refusal(files, './p.mjs', './q.mjs')).toBe(
      'the handler type "x" of the plugin "q" (<here>/q.mjs) is also in the plugin "p" (<here>/p.mjs). Give one of them another name',
    );
  });
});

test('4.2: a built-in handler may be replaced, with a notice', async () => {
  const text = module("handlers: [{ type: 'tool', handler: { execute() {} } }]");
  const { handlers, notices } = combine(await load(directoryOf({ 'p.mjs': text }), './p.mjs'));
  expect(handlers.map(({ type }) => type)).toEqual(['tool']);
  expect(notices).toEqual(['the plugin "p" replaces the built-in handler of `tool`']);
});
