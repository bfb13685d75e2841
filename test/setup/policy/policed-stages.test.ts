import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { HandlerRegistry } from '../../../src/run/driver/handler-registry.js';
import { type RunOptions, resume, run } from '../../../src/run/run.js';
import { childPolicy } from '../../../src/setup/policy/child-policy.js';
import { policedHandlers } from '../../../src/setup/policy/policed-handlers.js';
import type { RunResult } from '../../../src/view/run-result.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { policed } from './policed.js';

const secret = 'what-is-written-elsewhere';
const tool = 'shape=parallelogram, tool_command="echo ran >> proof"';

const around = (inside: string, attributes = ''): string =>
  `digraph posted {\n${attributes}\nstart [shape=Mdiamond]\ndone [shape=Msquare]\n${inside}\n}\n`;
const one = (attributes: string, graph = ''): string =>
  around(`work [label="Work", ${attributes}]\nstart -> work -> done`, graph);

/** The same after a stage that could write the file, so that lint only warns. */
const written = (attributes: string, graph = ''): string =>
  around(`write [prompt="Write"]\nwork [label="Work", ${attributes}]\nstart -> write -> work -> done`, graph);

/** A place for a run with files in it, and files next to it that are not to be read. */
function place(files: Readonly<Record<string, string>> = {}): string {
  const directory = path.join(temporaryDirectory(), 'place');
  mkdirSync(path.join(directory, 'sub'), { recursive: true });
  const beside = { '../elsewhere/secret.dot': `digraph x { ${secret} [shape=Mdiamond }` };
  mkdirSync(path.join(directory, '../elsewhere'));
  for (const [name, text] of Object.entries({ ...beside, ...files })) {
    writeFileSync(path.join(directory, name), text);
  }
  return directory;
}

async function policedOptions(workingDirectory: string, options: RunOptions = {}): Promise<RunOptions> {
  const { simulate = false } = options;
  const judge = await policed({ workingDirectory, simulate });
  const children = childPolicy(judge);
  if (children === undefined) throw new Error('nothing is judged');
  return {
    ...options,
    workingDirectory,
    runDirectory: options.runDirectory ?? path.join(workingDirectory, '../run'),
    handlers: policedHandlers(new HandlerRegistry(), judge),
    childPolicy: children,
  };
}

async function runPoliced(text: string, directory: string, options: RunOptions = {}): Promise<RunResult> {
  const result = await run(text, await policedOptions(directory, options));
  if (result.status === 'invalid') throw new Error(JSON.stringify(result.diagnostics));
  return result;
}

const ran = (directory: string): boolean =>
  ['proof', 'sub/proof', '../elsewhere/proof', '../proof'].some((name) =>
    existsSync(path.join(directory, name)),
  );

describe('§9.5 a stage that turns up later and may not run', () => {
  test('fails for good, and says why', async () => {
    const directory = place();
    const result = await runPoliced(one(`${tool}, max_retries=3`), directory);
    expect(result).toMatchObject({ status: 'fail', failed_node: 'work' });
    expect(result.failure_reason).toMatch(/"work" is a tool stage.*--allow-tools/);
    expect(result.visits).toMatchObject({ work: 1 });
    expect(ran(directory)).toBe(false);
  });

  test('does run where the server allows it', async () => {
    const directory = place();
    const judge = await policed({ workingDirectory: directory, allowTools: true });
    const handlers = policedHandlers(new HandlerRegistry(), judge);
    expect(childPolicy(judge)).toBeUndefined();
    const options = { handlers, workingDirectory: directory, runDirectory: path.join(directory, '../run') };
    expect(await run(one(tool), options)).toMatchObject({ status: 'success' });
    expect(ran(directory)).toBe(true);
  });

  test.each([
    ['a coding agent', 'prompt="x", llm_provider=codex'],
    ['hooks', 'prompt="x", tool_hooks.pre="echo ran > proof"'],
    ['the tool that runs commands', 'prompt="x", tools="run_command"'],
  ])('with %s', async (_what, attributes) => {
    const directory = place();
    let asked = 0;
    const backend = {
      run: () => {
        asked += 1;
        return Promise.resolve('x');
      },
    };
    const result = await runPoliced(one(attributes), directory, { backend });
    expect([result.status, asked]).toEqual(['fail', 0]);
    expect(result.failure_reason).toContain('--allow-tools');
  });

  test('in a run that somebody else began', async () => {
    const directory = place();
    const began = path.join(directory, '../run');
    const paused = new AbortController();
    paused.abort();
    const started = await run(one(tool), {
      ...{ workingDirectory: directory, runDirectory: began, pauseSignal: paused.signal },
    });
    expect(started.status).toBe('paused');
    const { handlers, childPolicy: judge } = await policedOptions(directory);
    const result = await resume(began, {
      ...(handlers && { handlers }),
      ...(judge && { childPolicy: judge }),
    });
    expect(result).toMatchObject({ status: 'fail', failed_node: 'work' });
    expect(ran(directory)).toBe(false);
  });
});

describe('§9.5 which stages are judged again when they run', () => {
  const oneOf = (type: string): string => one(`type="${type}", prompt="x"`);

  async function executed(type: string, given: Parameters<typeof policed>[0]): Promise<unknown> {
    const directory = place();
    const judge = await policed({ workingDirectory: directory, ...given });
    let executions = 0;
    const handler = {
      execute: () => {
        executions += 1;
        return { status: 'success' as const };
      },
    };
    const handlers = policedHandlers(new HandlerRegistry().register(type, handler), judge);
    const result = await run(oneOf(type), { handlers, runDirectory: path.join(directory, '../run') });
    return [result.status, executions];
  }

  test('those of a type that is neither built in nor brought by the operator do not run', async () => {
    expect(await executed('deploy', {})).toEqual(['fail', 0]);
  });

  test('those that the operator brings do', async () => {
    const handlers = [{ type: 'deploy', handler: { execute: () => undefined } }];
    expect(await executed('deploy', { extensions: { handlers } })).toEqual(['success', 1]);
  });

  test('those that are harmless run, whatever they say of hooks that nothing calls', async () => {
    const directory = place();
    const result = await runPoliced(one('shape=diamond, tool_hooks.pre="echo ran > proof"'), directory);
    expect(result).toMatchObject({ status: 'success' });
    expect(ran(directory)).toBe(false);
  });
});

const child = (inside: string, graph = ''): string =>
  `digraph child {\n${graph}\nbegin [shape=Mdiamond]\nend [shape=Msquare]\n${inside}\n}\n`;
const oneIn = (attributes: string, graph = ''): string =>
  child(`inner [label="Inner", ${attributes}]\nbegin -> inner -> end`, graph);

describe('§9.4 a pipeline that a stage runs', () => {
  test('runs where it lies and works below the place of the run', async () => {
    const directory = place({ 'sub/child.dot': oneIn('prompt="x"') });
    for (const stage of [
      'type=pipeline, child="sub/child.dot"',
      'type=pipeline, child="./sub/../sub/child.dot", workdir="sub"',
      'shape=house, child="sub/child.dot", manager.poll_interval="0s"',
    ]) {
      const fresh = place({ 'sub/child.dot': oneIn('prompt="x"') });
      expect(await runPoliced(one(stage), fresh), stage).toMatchObject({ status: 'success' });
    }
    expect(existsSync(directory)).toBe(true);
  });

  test.each([
    ['a tool', oneIn(tool), '"inner" is a tool stage'],
    [
      'a hook',
      oneIn('prompt="x", tool_hooks.post="echo ran > proof"'),
      'tool_hooks.post of "inner" is a command',
    ],
    [
      'a hook of its own',
      oneIn('prompt="x"', 'graph ["tool_hooks.pre"="echo ran > proof"]'),
      'tool_hooks.pre',
    ],
    ['a coding agent', oneIn('prompt="x", llm_provider=codex'), 'the coding agent "codex"'],
    ['git', oneIn('prompt="x"', 'graph [git=true]'), 'git=true'],
  ])('does not run with %s', async (_what, text, reason) => {
    for (const stage of ['type=pipeline, child="child.dot"', 'shape=house, child="child.dot"']) {
      const directory = place({ 'child.dot': text });
      const result = await runPoliced(one(stage), directory);
      expect(result.status).toBe('fail');
      expect(result.failure_reason).toContain(reason);
      expect(result.failure_reason).toContain('--allow-tools');
      expect(ran(directory)).toBe(false);
    }
  });

  test('nor does one that such a pipeline runs', async () => {
    const directory = place({
      'child.dot': oneIn('type=pipeline, child="sub/grandchild.dot"'),
      'sub/grandchild.dot': oneIn(tool),
    });
    const result = await runPoliced(one('type=pipeline, child="child.dot"'), directory);
    expect(result.failure_reason).toContain('is a tool stage');
    expect(ran(directory)).toBe(false);
  });

  test('nor one that a stage has written meanwhile', async () => {
    const directory = place();
    const backend = {
      run: () => {
        writeFileSync(path.join(directory, 'written.dot'), oneIn(tool));
        return Promise.resolve('written');
      },
    };
    const text = around(
      'write [prompt="x"]\nwork [type=pipeline, child="written.dot"]\nstart -> write -> work -> done',
    );
    const result = await runPoliced(text, directory, { backend });
    expect(result).toMatchObject({ status: 'fail', failed_node: 'work' });
    expect(ran(directory)).toBe(false);
  });

  const outside: readonly (readonly [what: string, attributes: string, graph?: string])[] = [
    ['above', 'type=pipeline, child="../elsewhere/secret.dot"'],
    ['by a way back', 'type=pipeline, child="sub/../../elsewhere/secret.dot"'],
    ['behind a link', 'type=pipeline, child="link.dot"'],
    ['behind the link of a directory', 'type=pipeline, child="linked/secret.dot"'],
    ['behind a link to nowhere', 'type=pipeline, child="dangling.dot"'],
    ['of the machine', 'type=pipeline, child="/etc/passwd"'],
    ['that is not there', 'type=pipeline, child="../nothing.dot"'],
    ['of a manager', 'shape=house, child="../elsewhere/secret.dot"'],
    ['of a manager, by the graph', 'shape=house', 'graph ["stack.child_dotfile"="../elsewhere/secret.dot"]'],
    ['that works elsewhere', 'type=pipeline, child="child.dot", workdir="/"'],
    ['that works elsewhere, by a value', 'type=pipeline, child="child.dot", workdir="${inputs.where}"'],
    [
      'that works elsewhere, by the graph',
      'type=pipeline, child="child.dot"',
      'graph [workdir="../elsewhere"]',
    ],
    ['that works behind a link', 'type=pipeline, child="child.dot", workdir="linked"'],
    [
      'of a manager, that works elsewhere',
      'shape=house, child="child.dot"',
      'graph ["stack.child_workdir"="${inputs.where}"]',
    ],
  ];
  const complete = outside.map(([what, attributes, graph = '']) => [what, attributes, graph] as const);
  test.each(complete)('is not read where it is one %s', async (_what, attributes, graph) => {
    for (const simulate of [false, true]) {
      const directory = place({ 'child.dot': oneIn('prompt="x"') });
      symlinkSync('../elsewhere/secret.dot', path.join(directory, 'link.dot'));
      symlinkSync('../elsewhere', path.join(directory, 'linked'));
      symlinkSync('../elsewhere/nothing.dot', path.join(directory, 'dangling.dot'));
      const inputs = { where: path.join(directory, '../elsewhere') };
      const found = await run(
        one(attributes, graph),
        await policedOptions(directory, { inputs, simulate, runDirectory: path.join(directory, '../first') }),
      );
      expect(JSON.stringify(found)).toMatch(/outside the working directory/);
      expect(JSON.stringify(found)).not.toContain(secret);
      const result = await runPoliced(written(attributes, graph), directory, { inputs, simulate });
      expect(result).toMatchObject({ status: 'fail', failed_node: 'work' });
      expect(result.failure_reason).toMatch(/outside the working directory/);
      expect(JSON.stringify(result)).not.toContain(secret);
    }
  });

  test('is named by its text, which no value gets into', async () => {
    const directory = place();
    const inputs = { where: path.join(directory, '../elsewhere/secret.dot') };
    const result = await runPoliced(written('type=pipeline, child="${inputs.where}"'), directory, { inputs });
    expect(result.failure_reason).toContain('there is no pipeline');
    expect(result.failure_reason).toContain('${inputs.where}');
  });
});
