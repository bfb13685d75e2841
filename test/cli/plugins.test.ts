import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { builtInBackendNames } from '../../src/setup/extensions.js';
import { directoryWith } from '../support/directory-with.js';
import { journalOf } from '../support/journal-of.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { attractor } from './attractor.js';

// Plugins and the configuration file as their user meets them (§4.12, §6.4, §7.4, §9.3).

const builtIn = await builtInBackendNames();

const examples = path.resolve(import.meta.dirname, '../../examples/plugins');
const example = (name: string) => path.join(examples, name);

describe('the example of', () => {
  test('a handler fetches the weather', async () => {
    const args = [example('handler.dot'), '--plugin', example('handler.mjs')];
    const linted = await attractor(['lint', ...args]);
    expect(linted).toMatchObject({ status: 0, stdout: expect.stringContaining('no problems') });
    const ran = await attractor(['run', '--json', ...args], { cwd: temporaryDirectory() });
    expect(JSON.parse(ran.stdout)).toMatchObject({
      status: 'success',
      path: ['start', 'fetch', 'coat', 'done'],
      context: { city: 'Oslo', temperature: -2 },
    });
    const drawn = await attractor(['render', '--format', 'dot', ...args]);
    expect(drawn.stdout).toContain('Weather report');
  });

  test('a handler is an unknown type without it', async () => {
    const { stdout } = await attractor(['lint', example('handler.dot')]);
    expect(stdout).toContain('"weather.fetch" is not a handler type');
  });

  test('a transform gives tools a timeout', async () => {
    const args = [example('pipeline.dot'), '--plugin', example('transform.mjs')];
    const nodesOf = async (...more: string[]) => {
      const { stdout } = await attractor(['parse', ...args, ...more]);
      const { nodes } = JSON.parse(stdout) as { nodes: { id: string; attributes: { timeout?: string } }[] };
      return nodes.map(({ id, attributes }) => [id, attributes.timeout] as const).filter(([, time]) => time);
    };
    expect(await nodesOf()).toEqual([
      ['fetch', '10m'],
      ['publish', '10m'],
    ]);
    expect(await nodesOf('--raw')).toEqual([]);
  });

  test('a lint rule finds an unmarked tool', async () => {
    const args = [example('pipeline.dot'), '--plugin', example('lint-rule.mjs'), '--format', 'json'];
    const { status, stdout } = await attractor(['lint', ...args]);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      diagnostics: [{ rule: 'network_is_marked', severity: 'warning', node_id: 'fetch', line: 7 }],
    });
  });

  test('an interviewer and one of a backend work together', async () => {
    const closing = vi.spyOn(console, 'error').mockReturnValue();
    onTestFinished(() => closing.mockRestore());
    const ran = await attractor(
      [
        ...['run', example('pipeline.dot'), '--json'],
        ...['--plugin', example('interviewer.mjs'), '--interviewer', 'committee'],
        ...['--plugin', example('backend.mjs'), '--backend', 'echo'],
      ],
      { cwd: temporaryDirectory() },
    );
    expect(JSON.parse(ran.stdout)).toMatchObject({
      status: 'success',
      path: ['start', 'fetch', 'write', 'approve', 'publish', 'done'],
      context: {
        last_response: expect.stringContaining(
          'small-model, attempt 1, for release notes that people read: ',
        ),
      },
    });
    expect(closing).toHaveBeenCalledWith('the echo has faded');
  });

  test('each file is run by a test', () => {
    const text = readFileSync(import.meta.filename, 'utf8');
    const unused = readdirSync(examples).filter((name) => !text.includes(`example('${name}')`));
    expect(unused).toEqual([]);
  });
});

const dot = `digraph g {
  start [shape=Mdiamond]
  done [shape=Msquare]
  ask [type="acme.ask"]
  gate [shape=parallelogram, tool_command="test -e open"]
  start -> ask -> gate -> done
}
`;

const plugin = `export default (options) => ({
  name: 'acme',
  handlers: [{
    type: 'acme.ask',
    handler: { execute: () => ({ status: 'success', context_updates: { asked: options?.what ?? 'nothing' } }) },
  }],
  rules: [{
    name: 'has_goal', severity: 'error', summary: 'A pipeline has a goal.',
    apply: (graph) => graph.attributes.has('goal') ? [] : [{ message: 'no goal', span: graph.nameSpan }],
  }],
});
`;

const configuration = `
plugins:
  - module: ./plugin.mjs
    options: { what: weather }
rules:
  has_goal: info
`;

/** A project with a configuration at its root, and a pipeline in a folder. */
function project(files: Readonly<Record<string, string>> = {}): string {
  const directory = directoryWith({ 'plugin.mjs': plugin, 'attractor.config.yaml': configuration, ...files });
  mkdirSync(path.join(directory, 'pipelines'));
  const nested = directoryWith({ 'p.dot': dot });
  renameSync(path.join(nested, 'p.dot'), path.join(directory, 'pipelines/p.dot'));
  return directory;
}

describe('the configuration file', () => {
  test('is found from the pipeline upwards, wherever the command is given', async () => {
    const directory = project();
    const finished = await attractor(['lint', path.join(directory, 'pipelines/p.dot')], {
      cwd: temporaryDirectory(),
    });
    expect(finished).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('info[has_goal]'),
      stderr: `attractor: configuration: ${path.join(directory, 'attractor.config.yaml')}\n`,
    });
  });

  test.skipIf(process.platform === 'win32')(
    'is ignored with a word where everybody can write it',
    async () => {
      const cwd = project();
      chmodSync(path.join(cwd, 'attractor.config.yaml'), 0o666);
      const { stdout, stderr } = await attractor(['lint', 'pipelines/p.dot'], { cwd });
      expect(stdout).not.toContain('has_goal]');
      expect(stderr).toContain('attractor.config.yaml can be written by all users, so it is ignored');
    },
  );

  test('completes the one that the user keeps for all pipelines', async () => {
    const home = directoryWith({
      'attractor/attractor.config.yaml': 'rules: { goal_gate_has_retry: off }\nbackend: nowhere',
    });
    const call = { cwd: project(), env: { XDG_CONFIG_HOME: home } };
    const linted = await attractor(['lint', 'pipelines/p.dot'], call);
    expect(linted.stdout).toContain('info[has_goal]');
    const examined = await attractor(['doctor'], call);
    const files = [path.join(home, 'attractor'), call.cwd].map((folder) =>
      path.join(folder, 'attractor.config.yaml'),
    );
    expect(examined.stdout.replaceAll(/\s+/g, ' ')).toContain(files.join(', '));
    const refused = await attractor(['run', 'pipelines/p.dot'], call);
    expect(refused.stderr).toContain('"nowhere"');
    const without = await attractor(
      ['run', 'pipelines/p.dot', '--no-config', '--plugin', './plugin.mjs'],
      call,
    );
    expect(without.stderr).not.toContain('"nowhere"');
  });

  test('is found from the current directory for standard input', async () => {
    const { stdout } = await attractor(['lint', '-'], { cwd: project(), input: dot });
    expect(stdout).toContain('info[has_goal]');
  });

  test.each([
    { args: ['--no-config'], status: 0, says: 'type_known' },
    { args: ['--config', 'other.json'], status: 1, says: 'error[has_goal]' },
    { args: ['--no-config', '--plugin', './plugin.mjs'], status: 1, says: 'error[has_goal]' },
    { args: ['--plugin', './plugin.mjs'], status: 0, says: 'info[has_goal]' },
  ])('can be left out or another one: $args', async ({ args, status, says }) => {
    const cwd = project({ 'other.json': '{ "plugins": ["./plugin.mjs"] }' });
    const finished = await attractor(['lint', 'pipelines/p.dot', ...args], { cwd });
    expect(finished).toMatchObject({ status, stdout: expect.stringContaining(says) });
  });

  test.each([
    {
      file: 'attractor.config.json',
      text: '{}',
      says: /has attractor\.config\.json and attractor\.config\.yaml/,
    },
    {
      file: 'attractor.config.yaml',
      text: 'plugin: []',
      says: /attractor\.config\.yaml:1:1: plugin: .*"plugins"/,
    },
    {
      file: 'attractor.config.yaml',
      text: 'plugins: [./none.mjs]',
      says: /"\.\/none\.mjs" \(named in attractor\.config\.yaml\) cannot be found/,
    },
    {
      file: 'plugin.mjs',
      text: 'export default { name: "p", rules: [{ name: "r", severity: "info", summary: "", apply() { null.x; } }] };',
      says: /the lint rule "r" of the plugin "p" failed: TypeError: .*plugin\.mjs:1\)/,
    },
    {
      file: 'plugin.mjs',
      text: 'export default { name: "p", transforms: [{ apply() {} }] };',
      says: /the transform "transforms\[0\]" of the plugin "p" returned no graph/,
    },
  ])('is refused with what is wrong: $text', async ({ file, text, says }) => {
    const cwd = project({
      [file]: text,
      ...(file === 'plugin.mjs' && { 'attractor.config.yaml': 'plugins: [./plugin.mjs]' }),
    });
    const { status, stderr } = await attractor(['lint', 'pipelines/p.dot'], { cwd });
    expect(stderr).toMatch(says);
    expect(stderr).not.toMatch(/^ +at /m);
    expect(status).toBe(2);
  });

  test.each(['ehco', 'constructor'])(
    'and a call are refused with a backend that there is not: %s',
    async (name) => {
      const finished = await attractor(['run', 'pipelines/p.dot', '--backend', name], { cwd: project() });
      expect(finished).toMatchObject({
        status: 2,
        stderr: expect.stringContaining(
          `there is no backend "${name}". Available: ${builtIn.join(', ')}; plugins can add others`,
        ),
      });
    },
  );
});

describe('a run', () => {
  test('is resumed with the plugins that it was started with', async () => {
    const cwd = project();
    const started = await attractor(['run', 'pipelines/p.dot', '--run-dir', 'r'], { cwd });
    expect(started.status).toBe(1);
    // What was configured then counts, not what is now.
    renameSync(path.join(cwd, 'attractor.config.yaml'), path.join(cwd, 'gone'));
    const elsewhere = temporaryDirectory();
    const again = await attractor(['resume', path.join(cwd, 'r'), '--json'], { cwd: elsewhere });
    expect(JSON.parse(again.stdout)).toMatchObject({ status: 'fail', context: { asked: 'weather' } });
    mkdirSync(path.join(cwd, 'open'));
    const done = await attractor(['resume', path.join(cwd, 'r')], { cwd: elsewhere });
    expect(done.status).toBe(0);
    const stages = journalOf(path.join(cwd, 'r')).filter(({ type }) => type === 'StageStarted');
    expect(stages.map(({ node_id: id }) => id)).toEqual(['start', 'ask', 'gate', 'gate', 'gate', 'done']);
  });

  test('is not resumed without them, and can be given others', async () => {
    const cwd = project();
    await attractor(['run', 'pipelines/p.dot', '--run-dir', 'r'], { cwd });
    renameSync(path.join(cwd, 'plugin.mjs'), path.join(cwd, 'moved.mjs'));
    const refused = await attractor(['resume', 'r'], { cwd });
    expect(refused).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(
        /the plugin ".*plugin\.mjs" \(that the run was started with; use --plugin to name others\) cannot be found/,
      ),
    });
    mkdirSync(path.join(cwd, 'open'));
    const done = await attractor(['resume', 'r', '--plugin', './moved.mjs'], { cwd });
    expect(done).toMatchObject({ status: 0 });
  });

  test('says that a built-in handler is replaced', async () => {
    const cwd = directoryWith({
      'p.dot': dot.replace('acme.ask', 'tool'),
      'p.mjs':
        'export default { name: "p", handlers: [{ type: "tool", handler: { execute: () => ({ status: "success" }) } }] };',
    });
    const { status, stdout } = await attractor(['run', 'p.dot', '--plugin', './p.mjs'], { cwd });
    expect(stdout).toContain('! the plugin "p" replaces the built-in handler of `tool`');
    expect(status).toBe(0);
  });

  test.each([
    ['cannot be made', 'throw new Error("no key")', /the backend "b" cannot be made: no key \(\S*p\.mjs:1\)/],
    [
      'cannot run',
      'return {}',
      /the backend "b" cannot be used: "create" returned no object with a function "run"/,
    ],
  ])('does not begin with a backend that %s, and nothing is left behind', async (_what, body, says) => {
    const cwd = directoryWith({
      'llm.dot': dot.replace('type="acme.ask"', 'prompt="x"'),
      'tools.dot': dot.replace('type="acme.ask"', 'shape=parallelogram, tool_command=true'),
      'p.mjs': `export default { name: "p", backends: [{ name: "b", create() { ${body} } }] };`,
    });
    const options = ['--plugin', './p.mjs', '--backend', 'b'];
    const refused = await attractor(['run', 'llm.dot', ...options], { cwd });
    expect(refused.stderr).toMatch(says);
    expect(refused.status).toBe(2);
    expect(readdirSync(cwd)).not.toContain('.attractor');
    // A pipeline without LLM stages has no need of it; its gate fails.
    expect(await attractor(['run', 'tools.dot', ...options], { cwd })).toMatchObject({ status: 1 });
    expect(await attractor(['run', 'llm.dot', '--simulate', ...options], { cwd })).toMatchObject({
      status: 0,
    });
  });
});

describe('the people and the words of a plugin', () => {
  const words = `digraph words {
    start [shape=Mdiamond]
    done [shape=Msquare]
    gate [shape=hexagon, label="Go on?"]
    review [type="acme.review"]
    fix [shape=parallelogram, tool_command="true"]
    start -> gate
    gate -> review [label="Yes"]
    gate -> done [label="No"]
    review -> fix [condition="outcome=needs_review"]
    review -> done
    fix -> done
  }
  `;
  const acme = `export default {
    name: 'acme',
    handlers: [{ type: 'acme.review', handler: { execute: () => ({ status: 'needs_review' }) } }],
    interviewers: [{ name: 'mumbler', create: () => ({ ask: async () => ({ value: 'well' }) }) }],
  };
  `;
  const start = ['run', 'words.dot', '--run-dir', 'r', '--plugin', './acme.mjs', '--json'];

  test('44g: outcomes that are words of its own are allowed for the whole run', async () => {
    const cwd = directoryWith({ 'words.dot': words, 'acme.mjs': acme });
    const refused = await attractor([...start, '--run-dir', 'strict', '--answer', 'gate=Yes'], { cwd });
    expect(JSON.parse(refused.stdout).failure_reason).toContain('invalid outcome "needs_review"');
    expect(await attractor([...start, '--custom-outcomes'], { cwd })).toMatchObject({ status: 3 });
    const { stdout } = await attractor(['resume', 'r', '--json', '--answer', 'gate=Yes'], { cwd });
    expect(JSON.parse(stdout).path).toEqual(['start', 'gate', 'review', 'fix', 'done']);
  });

  test('55c: an interviewer that gives no answer that fits does not hold the run up', async () => {
    const cwd = directoryWith({ 'words.dot': words, 'acme.mjs': acme });
    const call = [...start, '--custom-outcomes', '--interviewer', 'mumbler'];
    const { stdout, stderr } = await attractor(call, { cwd });
    expect(JSON.parse(stdout).path).toEqual(['start', 'gate', 'review', 'fix', 'done']);
    expect(stderr).toContain('It is asked again');
    const warnings = journalOf(path.join(cwd, 'r')).filter(({ level }) => level === 'warning');
    expect(warnings.at(-1)).toMatchObject({ message: expect.stringContaining('"Yes" is taken') });
  });
});
