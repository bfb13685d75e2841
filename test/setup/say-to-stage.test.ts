import { describe, expect, test } from 'vitest';
import { sayToStage } from '../../src/setup/say-to-stage.js';
import { pipeline, runOnDisk } from '../run/harness.js';

const dot = pipeline(
  'plan [prompt="Plan it."]',
  'build [prompt="Build it."]',
  'check [shape=parallelogram, tool_command="true"]',
  'later [prompt="Look again."]',
  'start -> plan -> build -> check -> later -> exit',
);

/** Says something to stages while `build` is at work. @returns why they take no words */
async function refusals(stages: readonly string[]): Promise<readonly string[]> {
  const heard: string[] = [];
  await runOnDisk(dot, {
    handlers: {
      codergen: async ({ node, logsRoot }) => {
        if (node.id !== 'build') return { status: 'success' };
        for (const stage of stages)
          await sayToStage(logsRoot, { stage, text: 'Hurry.' }).catch((error: unknown) =>
            heard.push((error as Error).message),
          );
        return { status: 'success' };
      },
    },
  });
  return heard;
}

describe('words to a stage that takes none', () => {
  test('are refused with what the stage does', async () => {
    expect(await refusals(['plan', 'later', 'check', 'plam', 'nosuch/stage'])).toEqual([
      '"plan" has ended (success); at work with a model now: build',
      '"later" has not begun; at work with a model now: build',
      '"check" has no model: it is a stage of type tool',
      'the pipeline has no stage "plam" (did you mean "plan"?)',
      'the pipeline has no stage "nosuch/stage"; its stages are start, exit, plan, build, check, later',
    ]);
  });

  test('are refused after the end of the run with how it ended', async () => {
    const { directory } = await runOnDisk(dot, { script: { plan: { outcome: 'fail' } } });
    await expect(sayToStage(directory, { stage: 'plan', text: 'Hurry.' })).rejects.toThrow(
      'this run has already finished (fail)',
    );
  });
});
