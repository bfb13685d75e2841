import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { findConfiguration, findUserConfiguration } from '../../src/plugins/find-configuration.js';
import {
  combineRequests,
  loadExtensions,
  requestOfConfiguration,
  requestOfRecord,
} from '../../src/plugins/load-extensions.js';
import { readConfiguration } from '../../src/plugins/read-configuration.js';
import { directoryOf } from './files.js';

describe('the configuration file', () => {
  const json = JSON.stringify({
    $schema: 'x',
    plugins: ['./p.mjs', { module: 'acme', options: { size: 3 } }],
    backend: 'b',
    interviewer: 'i',
    rules: { reachability: 'off', ['__proto__']: 'info' },
  });
  const yaml = `
# Both say the same.
plugins:
  - ./p.mjs
  - { module: acme, options: { size: 3 } }
backend: b
interviewer: i
rules: { reachability: off, __proto__: info }
`;

  test.each([
    ['attractor.config.json', json],
    ['attractor.config.yaml', yaml],
    ['attractor.config.yml', yaml],
  ])('may be %s', (name, text) => {
    const directory = directoryOf({ [name]: text });
    const { plugins, backend, interviewer, rules } = readConfiguration(path.join(directory, name));
    expect({ plugins, backend, interviewer }).toEqual({
      plugins: [{ module: './p.mjs' }, { module: 'acme', options: { size: 3 } }],
      backend: 'b',
      interviewer: 'i',
    });
    expect(rules.get('reachability')).toBe('off');
  });

  test.each(['{}', ''])('may hold nothing: "%s"', (text) => {
    const file = path.join(directoryOf({ 'c.yaml': text }), 'c.yaml');
    expect(readConfiguration(file)).toMatchObject({ plugins: [], rules: new Map() });
  });

  test('is the nearest one', () => {
    const directory = directoryOf({
      'attractor.config.json': '{}',
      'a/attractor.config.yaml': '',
      'a/b/c/x.dot': '',
      'd/x.dot': '',
    });
    const found = (folder: string) =>
      path.relative(directory, findConfiguration(path.join(directory, folder)).file ?? '');
    expect(found('a/b/c')).toBe('a/attractor.config.yaml');
    expect(found('d')).toBe('attractor.config.json');
    expect(found('not/there')).toBe('attractor.config.json');
  });

  const me = { uid: 1000, mode: 0o100644, isSymbolicLink: () => false };
  const stranger = { ...me, uid: 1001 };
  const link = { ...stranger, mode: 0o120777, isSymbolicLink: () => true };
  test.each([
    ['of this user', [me, me], undefined],
    ['of root', [{ ...me, uid: 0 }], undefined],
    ['that its group can write', [{ ...me, mode: 0o100664 }], undefined],
    ['by a link of this user', [{ ...link, uid: 1000 }, me], undefined],
    ['of another user', [stranger, stranger], 'belongs to another user (uid 1001)'],
    ['that everybody can write', [{ ...me, mode: 0o100646 }], 'can be written by all users'],
    ['by a link of another user', [link, me], 'belongs to another user (uid 1001)'],
  ])('%s further up is taken, or ignored with a word', (_, owners, reason) => {
    const inspect = (file: string) => (file === '/a/attractor.config.json' ? owners : undefined);
    const file = '/a/attractor.config.json';
    expect(findConfiguration('/a/b/c', 1000, inspect)).toEqual(
      reason === undefined
        ? { file, ignored: [] }
        : { file: undefined, ignored: [`${file} ${reason}, so it is ignored; use it with --config ${file}`] },
    );
  });

  test('of another user does not hide the one above it', () => {
    const files = new Map([
      ['/a/b/attractor.config.json', [stranger]],
      ['/a/attractor.config.yml', [me]],
    ]);
    const found = findConfiguration('/a/b', 1000, (file) => files.get(file));
    expect(found).toMatchObject({ file: '/a/attractor.config.yml', ignored: [expect.any(String)] });
  });

  test('may not have a twin', () => {
    const directory = directoryOf({ 'attractor.config.json': '{}', 'attractor.config.yml': '' });
    expect(() => findConfiguration(directory)).toThrow(
      /has attractor\.config\.json and attractor\.config\.yml: keep one of them, or choose one with --config/,
    );
  });
});

describe('the configuration that a user keeps for all pipelines', () => {
  const me = { uid: 1000, mode: 0o100644, isSymbolicLink: () => false };
  test.each([
    [{ XDG_CONFIG_HOME: '/c', HOME: '/h' }, '/c/attractor/attractor.config.yaml'],
    [{ XDG_CONFIG_HOME: 'relative', HOME: '/h' }, '/h/.config/attractor/attractor.config.yaml'],
    [{ HOME: '/h' }, '/h/.config/attractor/attractor.config.yaml'],
    [{}, undefined],
  ])('is looked for in %j', (variables, file) => {
    const inspect = (name: string) => (name.endsWith('.yaml') ? [me] : undefined);
    expect(findUserConfiguration(variables, 1000, inspect)).toEqual({ file, ignored: [] });
  });

  test('is ignored with a word if another user can write it', () => {
    const inspect = (name: string) => (name.endsWith('.json') ? [{ ...me, uid: 7 }] : undefined);
    const { file, ignored } = findUserConfiguration({ HOME: '/h' }, 1000, inspect);
    expect(file).toBeUndefined();
    expect(ignored).toEqual([expect.stringContaining('belongs to another user (uid 7), so it is ignored')]);
  });

  test('gives what that of the project does not say', () => {
    const directory = directoryOf({
      'user.yaml': [
        'backend: mine',
        'model: m',
        'budget_usd: 3',
        'rules: { reachability: off, goal_gate_has_retry: error }',
        'providers: { a: { base_url: "http://user/" }, b: { base_url: "http://user/" } }',
        'ai: { max_requests: 3, idle_timeout: 5 }',
        'properties: { tested: "publish only after test" }',
      ].join('\n'),
      'project.yaml': [
        'backend: ours',
        'rules: { reachability: info }',
        'providers: { b: { base_url: "http://project/" } }',
        'ai: { idle_timeout: 7 }',
        'properties: { tested: "at most 5 stages" }',
      ].join('\n'),
    });
    const [user, project] = ['user.yaml', 'project.yaml'].map((name) =>
      requestOfConfiguration(path.join(directory, name)),
    );
    const combined = combineRequests(user, project);
    expect(combined).toMatchObject({
      backend: 'ours',
      defaultBudgetUsd: 3,
      settings: { model: 'm', ai: { max_requests: 3, idle_timeout: 7 } },
    });
    expect(Object.fromEntries(combined?.rules ?? [])).toEqual({
      reachability: 'info',
      goal_gate_has_retry: 'error',
    });
    const addresses = [...(combined?.settings?.providers ?? [])].map(([name, one]) => [name, one.base_url]);
    expect(addresses).toEqual([
      ['a', 'http://user/'],
      ['b', 'http://project/'],
    ]);
    expect(combined?.properties?.map(({ text }) => text)).toEqual([
      'publish only after test',
      'at most 5 stages',
    ]);
  });
});

describe('a mistake in it is told with its place', () => {
  test.each<[name: string, text: string, message: string]>([
    ['c.json', '{\n  "plugins": [],\n}', ':3:1: not valid JSON: Expected double-quoted property name'],
    ['c.json', '{\n  "backend": b\n}', ":2:14: not valid JSON: Unexpected token 'b'"],
    ['c.json', '{ "backend": "b"', ":1:17: not valid JSON: Expected ',' or '}' after property value"],
    ['c.json', '', ':1:1: not valid JSON: Unexpected end of JSON input'],
    ['c.yaml', 'backend: b\nrules: [', ':2:9: not valid YAML: Flow sequence'],
    ['c.yaml', 'a: b: c', ':1:4: not valid YAML: Nested mappings'],
    ['c.yaml', 'backend: b\nbackend: c', ':2:1: a key appears twice; keep one of them'],
    ['c.json', '{ "rules": {}, "rules": {} }', ':1:16: a key appears twice; keep one of them'],
    [
      'c.yaml',
      'backend: b\n---\nbackend: c',
      ':2:1: a second document starts here; a configuration has only one',
    ],
    ['c.json', '{\n  "plugns": []\n}', ':2:3: plugns: unknown key (did you mean "plugins"?)'],
    ['c.json', '{ "x": 1 }', ':1:3: x: unknown key; expected "$schema", "plugins", "backend"'],
    ['c.json', '[]', ': expected object, received array'],
    ['c.yaml', 'plugins: ./p.mjs', ':1:1: plugins: expected array, received string'],
    ['c.yaml', 'plugins:\n  - ./p.mjs\n  - 7', ':3:5: plugins[1]: expected object, received number'],
    [
      'c.yaml',
      'plugins:\n  - { modul: ./p.mjs }',
      ':2:5: plugins[0].module: expected string, but it is missing',
    ],
    [
      'c.yaml',
      'rules:\n  reachability: none',
      ':2:3: rules.reachability: expected one of off, info, warning, error, found "none"',
    ],
    ['c.yaml', 'rules: [reachability]', ':1:1: rules: expected an object'],
    [
      'c.yaml',
      'providers:\n  acme:\n    api_key: sk-1',
      ':3:5: providers.acme.api_key: a configuration holds no keys; write `api_key_env: NAME` for a provider',
    ],
    ['c.yaml', 'api_key: sk-1', ':1:1: api_key: a configuration holds no keys; write `api_key_env: NAME`'],
    ['c.yaml', 'backend: 7', ':1:1: backend: expected string, received number'],
  ])('%s: %s', (name, text, message) => {
    const file = path.join(directoryOf({ [name]: text }), name);
    expect(() => readConfiguration(file)).toThrow(`${file}${message}`);
  });

  test('and so are all others', () => {
    const file = path.join(directoryOf({ 'c.yaml': 'backend: 7\nrule: {}' }), 'c.yaml');
    expect(() => readConfiguration(file)).toThrow(
      /c\.yaml:1:1: backend.*\nattractor: .*c\.yaml:2:1: rule: unknown key/,
    );
  });

  test.each<[what: string, file: string, message: RegExp]>([
    ['is not there', 'none.json', /cannot read the configuration .*none\.json: it does not exist/],
    ['is a directory', 'folder', /it is a directory/],
  ])('a file that %s', (_what, name, message) => {
    const directory = directoryOf({ 'folder/x': '' });
    expect(() => readConfiguration(path.join(directory, name))).toThrow(message);
  });
});

describe('what a configuration asks for', () => {
  const none = { interviewers: new Set<string>(), backends: new Set<string>() };
  const plugin = `export default (options) => ({
    name: 'p' + options,
    rules: [{ name: 'mine', severity: 'info', summary: '', apply: () => [] }],
  });`;

  test('is loaded from next to the file, and can be loaded again from its record', async () => {
    const directory = directoryOf({
      'conf/c.yaml':
        'plugins: [{ module: ../p.mjs, options: 1 }]\nbackend: b\nrules: { mine: error, reachability: off }',
      'p.mjs': plugin,
    });
    const loaded = await loadExtensions(requestOfConfiguration(path.join(directory, 'conf/c.yaml')), none);
    expect(loaded.record).toEqual({
      plugins: [{ module: path.join(directory, 'p.mjs'), options: 1 }],
      backend: 'b',
      rules: { mine: 'error', reachability: 'off' },
    });
    if (loaded.record === undefined) return;
    const written = JSON.parse(JSON.stringify(loaded.record));
    const again = await loadExtensions(requestOfRecord(written, 'manifest.json'), none);
    expect(again.record).toEqual(loaded.record);
    expect(again.rules.map(({ name }) => name)).toEqual(['mine']);
  });

  test('of both a user and a project is loaded again from the record', async () => {
    const directory = directoryOf({
      'user.yaml': 'providers: { a: { base_url: "http://user/" } }\nmodel: m',
      'project.yaml': 'providers: { b: { base_url: "http://project/" } }',
    });
    const [user, project] = ['user.yaml', 'project.yaml'].map((name) =>
      requestOfConfiguration(path.join(directory, name)),
    );
    for (const request of [combineRequests(user, project), combineRequests(user, undefined)]) {
      const loaded = await loadExtensions(request ?? expect.unreachable(), none);
      const written = JSON.parse(JSON.stringify(loaded.record));
      const again = await loadExtensions(requestOfRecord(written, 'manifest.json'), none);
      expect(again.settings).toEqual(loaded.settings);
      expect(again.record).toEqual(loaded.record);
    }
  });

  test.each([
    [
      'a rule that there is not',
      'minn',
      /c\.yaml:\d+:\d+: rules: there is no rule "minn" \(did you mean "mine"\?\)/,
    ],
    ['a rule that cannot be set', 'start_node', /rules: the severity of "start_node" cannot be set/],
    ['what the parser says', 'syntax', /rules: the severity of "syntax" cannot be set/],
  ])('is refused with a setting of %s', async (_what, rule, message) => {
    const directory = directoryOf({
      'c.yaml': `plugins: [./p.mjs]\nrules: { ${rule}: warning }`,
      'p.mjs': plugin,
    });
    const request = requestOfConfiguration(path.join(directory, 'c.yaml'));
    await expect(loadExtensions(request, none)).rejects.toThrow(message);
  });
});
