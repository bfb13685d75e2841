import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { directoryWith } from '../support/directory-with.js';
import { attractor } from './attractor.js';

const release = (attributes = ''): string => `digraph release {
  graph [on_failure=stop${attributes}]
  start [shape=Mdiamond]
  done [shape=Msquare]
  implement [prompt="Implement it", max_visits=3]
  publish [shape=parallelogram, tool_command="true", timeout="5s", class="deploy"]
  start -> implement -> publish
  publish -> implement [condition="outcome=fail"]
  publish -> done
}`;

const approved = ', "check.implemented"="publish only after implement"';
const small = ', "check.small"="at most 1 LLM stages"';

async function check(files: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const cwd = directoryWith(files);
  return { cwd, ...(await attractor(['check', ...args], { cwd })) };
}

describe('144: check', () => {
  test('says that all properties hold', async () => {
    const { status, stdout } = await check({ 'p.dot': release(approved) }, 'p.dot');
    expect([status, stdout]).toEqual([0, 'holds        implemented: publish only after implement\n']);
  });

  test('shows a run that breaks one, which plays', async () => {
    const { cwd, status, stdout } = await check(
      { 'p.dot': release(approved + small) },
      'p.dot',
      '--output-dir',
      'out',
    );
    expect(status).toBe(1);
    expect(stdout).toContain('broken       small: at most 1 LLM stages');
    expect(stdout).toContain('path: start -> implement -> publish\n');
    expect(stdout).toContain('play: attractor run p.dot --simulate --script out/small.script.json');
    expect(readFileSync(path.join(cwd, 'out/small.svg'), 'utf8')).toContain('<svg');
    const played = await attractor(['run', 'p.dot', '--simulate', '--script', 'out/small.script.json'], {
      cwd,
    });
    expect(played.status).toBe(1);
    expect(played.stderr + played.stdout).toContain('"implement" would break the property "small"');
  });

  test('gives the inputs that a run requires, so that the script plays as printed', async () => {
    const dot = release(`${small}, inputs="version: string, target: test|live, tries: integer = 3"`).replace(
      'publish -> done',
      'publish -> done [condition="inputs.target=live"]\n  publish -> implement',
    );
    const { cwd, stdout } = await check({ 'p.dot': dot }, 'p.dot', '--output-dir', 'out');
    const [, argv = ''] = /play: attractor (.+)/.exec(stdout) ?? [];
    const script = JSON.parse(readFileSync(path.join(cwd, 'out/small.script.json'), 'utf8'));
    expect(script.inputs).toEqual({ version: 'some version', target: 'test' });
    const played = await attractor(argv.split(' '), { cwd });
    expect(played.stdout + played.stderr).toContain('would break the property "small"');
  });

  test('prints JSON, SARIF and JUnit', async () => {
    const files = { 'p.dot': release(approved + small) };
    const json = JSON.parse((await check(files, 'p.dot', '--format', 'json')).stdout);
    expect(json.properties).toMatchObject([
      { name: 'implemented', origin: 'pipeline', verdict: 'holds' },
      { name: 'small', verdict: 'broken', path: ['start', 'implement', 'publish'], script: { nodes: {} } },
    ]);
    const sarif = JSON.parse((await check(files, 'p.dot', '--format', 'sarif')).stdout);
    expect(sarif.runs[0].results).toMatchObject([
      {
        ruleId: 'property_broken',
        level: 'error',
        locations: [{ physicalLocation: { region: { startLine: 2 } } }],
      },
    ]);
    const { stdout } = await check(files, 'p.dot', '--format', 'junit');
    expect(stdout).toContain('<testsuite name="p.dot" tests="2" failures="1" errors="0" skipped="0">');
    expect(stdout).toContain(
      '<testcase classname="p.dot" name="small">\n      <failure message="&quot;implement&quot; would',
    );
  });

  test('cannot use a pipeline with errors, one without properties, and files with mistakes', async () => {
    const cases: readonly [Readonly<Record<string, string>>, string][] = [
      [
        { 'p.dot': release(', "check.x"="never pubish"') },
        'there is no stage "pubish" (did you mean "publish"?)',
      ],
      [{ 'p.dot': release() }, 'p.dot has no properties'],
      [
        { 'p.dot': release(), 'p.check': '# rules\n\nsmall: at most many stages\n' },
        'p.check:3:16: found "many"',
      ],
      [
        { 'p.dot': release(), 'p.check': 'small at most 3 stages\n' },
        'p.check:1:1: found "small at most 3 stages"',
      ],
      [
        { 'p.dot': release(), 'p.check': 'a: never publish\na: never done' },
        'p.check:2:1: there is already a property "a"',
      ],
      [
        { 'p.dot': release(), 'attractor.config.yaml': 'properties:\n  tested: publish after\n' },
        'attractor.config.yaml:2:3: properties.tested: found "after"',
      ],
    ];
    for (const [files, message] of cases) {
      const { status, stderr } = await check(files, 'p.dot');
      expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
    }
  });

  test('has those of a file next to it and of the configuration, and so has a run, also when it is resumed', async () => {
    const files = {
      'p.dot': release(),
      'p.check': 'small: at most 1 LLM stages # not a comment'.replace(' # not a comment', ''),
      'attractor.config.yaml': 'properties:\n  deployed: class deploy only after class check\n',
    };
    const { cwd, status, stdout } = await check(files, 'p.dot');
    expect(status).toBe(1);
    expect(stdout).toContain('broken       deployed (configuration): class deploy only after class check');
    expect(stdout).toContain('broken       small (file): at most 1 LLM stages');
    const run = await attractor(['run', 'p.dot', '--simulate', '--run-dir', 'run'], { cwd });
    expect(run.stderr + run.stdout).toContain('would break the property "deployed" of the configuration');
    writeFileSync(path.join(cwd, 'attractor.config.yaml'), 'properties: {}\n');
    writeFileSync(path.join(cwd, 'p.check'), '');
    for (const more of [[], ['--no-config'], ['--config', 'attractor.config.yaml']]) {
      const resumed = await attractor(['resume', 'run', ...more], { cwd });
      expect(resumed.stderr + resumed.stdout).toContain(
        'would break the property "deployed" of the configuration',
      );
    }
  });
});
