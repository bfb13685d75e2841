import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import { noPipelineFiles, pipelineFiles } from '../../src/run/pipeline-files.js';
import { attractor } from '../cli/attractor.js';
import { directoryWith } from '../support/directory-with.js';
import { projectOf, runProject } from './children/children.js';
import { fileOf, jsonOf, pipeline, resumePipeline, runOnDisk } from './harness.js';

// Row 112: prompts in files.

const main = pipeline('goal="Ship it"', 'plan [prompt_file="prompts/plan.md"]', 'start -> plan -> exit');
const text = 'Plan "$goal" for ${inputs.who}.\r\n\tTwo \\n lines, C:\\dir\\\n{ [a -> b]; } <b>ä😀</b> \\';

describe('112: prompt_file', () => {
  test('is the prompt of the stage, with $goal and ${…}', async () => {
    const { result, directory } = await runProject(
      { 'main.dot': main, 'prompts/plan.md': text },
      { inputs: { who: 'you' } },
    );
    expect(result.status).toBe('success');
    const wanted = text.replace('$goal', 'Ship it').replace('${inputs.who}', 'you');
    expect(fileOf(directory, 'plan/prompt.md')).toContain(wanted.replaceAll('\r\n', '\n').slice(0, 20));
  });

  test('a copy lies in the run directory: resume needs no file, and has the old text', async () => {
    const project = projectOf({ 'main.dot': main, 'prompts/plan.md': text });
    const stop = new AbortController();
    stop.abort();
    const { result, directory } = await runOnDisk(main, {
      workingDirectory: project,
      sourcePath: path.join(project, 'main.dot'),
      pauseSignal: stop.signal,
      inputs: { who: 'you' },
    });
    expect(result.status).toBe('paused');
    rmSync(path.join(project, 'prompts'), { recursive: true });
    const again = await resumePipeline(directory, {});
    expect(again.result.status).toBe('success');
    expect(fileOf(directory, 'plan/prompt.md')).toContain('Plan "Ship it" for you.');
    expect(fileOf(directory, 'pipeline.dot')).not.toContain('prompt_file');
  });

  test('its text is part of the identity of the pipeline', async () => {
    const hashOf = async (plan: string) => {
      const { directory } = await runProject({ 'main.dot': main, 'prompts/plan.md': plan });
      return jsonOf(directory, 'manifest.json').graph_hash;
    };
    const [one, same, other] = [await hashOf('Plan.'), await hashOf('Plan.'), await hashOf('Plan!')];
    expect(same).toBe(one);
    expect(other).not.toBe(one);
  });

  test('findings keep their positions in the pipeline', () => {
    const project = projectOf({ 'prompts/plan.md': 'a\nb\n'.repeat(100) });
    const dot = main.replace('start -> plan', 'start -> gone\nstart -> plan');
    const options = { files: pipelineFiles(path.join(project, 'main.dot')) };
    const at = (files: object): unknown =>
      compile(dot, files).diagnostics.find(({ rule }) => rule === 'edge_target_exists')?.span;
    expect(at(options)).toEqual(at({}));
  });

  test('a child has its own', async () => {
    const outer = pipeline('sub [type=pipeline, child="parts/child.dot"]', 'start -> sub -> exit');
    const { result, directory } = await runProject({
      'main.dot': outer,
      'parts/child.dot': main.replace('prompts/plan.md', 'plan.md'),
      'parts/plan.md': 'From the parts',
    });
    expect(result.status).toBe('success');
    expect(fileOf(directory, 'sub/child/plan/prompt.md')).toContain('From the parts');
  });
});

describe('112: a file that cannot be the prompt', () => {
  test.each([
    ['prompts/plan.md', 'run', 0, ''],
    ['prompts/paln.md', 'run', 1, 'does not exist (did you mean "plan.md"?)'],
    ['prompts', 'lint', 1, 'cannot be read: it is a directory'],
    ['prompts/plan.md", prompt="x', 'lint', 1, 'is set together with `prompt`'],
  ])('%s, by %s', async (name, command, wanted, message) => {
    const cwd = directoryWith({
      'main.dot': main.replace('prompts/plan.md', name),
      'prompts/plan.md': 'Plan',
    });
    const { status, stdout, stderr } = await attractor(
      [command, 'main.dot', ...(command === 'run' ? ['--simulate'] : [])],
      { cwd },
    );
    expect(stdout + stderr).toContain(message);
    expect(status).toBe(wanted);
    if (wanted !== 0) expect(existsSync(path.join(cwd, '.attractor'))).toBe(false);
  });

  test.each(['run', 'lint'])('text from standard input may name none: %s', async (command) => {
    const cwd = directoryWith({ 'prompts/plan.md': 'Plan' });
    const { status, stdout, stderr } = await attractor([command, '-'], { cwd, input: main });
    expect(status).toBe(1);
    expect(stdout + stderr).toContain('a pipeline that is not in a file cannot refer to files');
  });

  test('nor may a posted one, wherever it leads', () => {
    for (const name of ['/etc/passwd', '../../secret', 'plan.md']) {
      const dot = main.replace('prompts/plan.md', name);
      const { diagnostics } = compile(dot, { files: noPipelineFiles });
      expect(diagnostics.map(({ rule }) => rule)).toContain('prompt_file_usable');
    }
  });

  test('a default for nodes is refused, also one that all nodes override', async () => {
    const files = { 'prompts/plan.md': 'Plan', 'other.md': 'Other' };
    const inherited = main
      .replace('plan [', 'node [prompt_file="other.md"]\nplan [')
      .replace(' [prompt_file="prompts/plan.md"]', '');
    await expect(runProject({ 'main.dot': inherited, ...files })).rejects.toThrow(
      'cannot be a default for nodes',
    );
    const overridden = main.replace('plan [', 'node [prompt_file="other.md"]\nplan [');
    await expect(runProject({ 'main.dot': overridden, ...files })).rejects.toThrow('prompt_file');
  });

  test('a compilation that could not read them does not run', async () => {
    const project = projectOf({ 'main.dot': main });
    writeFileSync(path.join(project, 'x'), '');
    const { run } = await import('../../src/run/run.js');
    await expect(run(compile(main), { workingDirectory: project })).rejects.toThrow('was not read');
  });
});
