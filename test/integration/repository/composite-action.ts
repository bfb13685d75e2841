import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runInNewContext } from 'node:vm';
import { parse } from 'yaml';
import { z } from 'zod';
import { root } from '../../docs/markdown.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const stepSchema = z.strictObject({
  id: z.string().optional(),
  if: z.string().optional(),
  shell: z.literal('bash').optional(),
  'working-directory': z.string().optional(),
  env: z.record(z.string(), z.string()).default({}),
  run: z.string().optional(),
  uses: z.string().optional(),
  with: z.record(z.string(), z.union([z.string(), z.boolean()])).default({}),
});
export type ActionStep = z.infer<typeof stepSchema>;

const actionSchema = z.looseObject({
  inputs: z.record(
    z.string(),
    z.strictObject({ description: z.string(), default: z.union([z.string(), z.number()]).optional() }),
  ),
  outputs: z.record(z.string(), z.strictObject({ description: z.string(), value: z.string() })),
  runs: z.strictObject({ using: z.literal('composite'), steps: z.array(stepSchema) }),
});

/** `action.yml` of the repository. */
export const action = actionSchema.parse(parse(readFileSync(path.join(root, 'action.yml'), 'utf8')));

type Outputs = Readonly<Record<string, string>>;

/** What a job has: a workspace, a directory for temporary files, and the artifacts of its workflow run. */
export interface Job {
  readonly workspace: string;
  /** Directories by the name of their artifact. */
  readonly artifacts: Map<string, string>;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly github?: Readonly<Record<string, unknown>>;
  /** Called with the process of each step. */
  readonly onStart?: (child: ChildProcess, step: ActionStep) => void;
}

/** How the action ended in a job. */
export interface ActionResult {
  readonly isSuccess: boolean;
  readonly outputs: Outputs;
  /** What all steps printed. */
  readonly log: string;
  /** The page of the job. */
  readonly summary: string;
  /** Steps that were carried out, by their ids or by what they use. */
  readonly steps: readonly string[];
}

/**
 * Carries out `action.yml` as a runner does: evaluates the expressions of inputs, conditions and environments, and executes each
 * script with `bash --noprofile --norc -eo pipefail` and the variables that a runner sets.
 */
export async function runAction(inputs: Outputs, job: Job): Promise<ActionResult> {
  const temporary = temporaryDirectory();
  const summaryFile = path.join(temporary, 'summary.md');
  writeFileSync(summaryFile, '');
  const github = { run_id: '1', token: 'token', event: {}, ...job.github };
  const unknown = Object.keys(inputs).filter((name) => !(name in action.inputs));
  if (unknown.length > 0) throw new Error(`action.yml has no input ${unknown.join(', ')}`);
  const steps: Record<string, { outputs: Outputs }> = {};
  const context: Context = { inputs: {}, steps, github, isSuccess: true };
  const given = Object.entries(action.inputs).map(([name, { default: usual = '' }]) => [
    name,
    inputs[name] ?? fill(String(usual), context),
  ]);
  context.inputs = Object.fromEntries(given);
  const done: string[] = [];
  let log = '';
  for (const step of action.runs.steps) {
    if (!holds(step.if, context)) continue;
    done.push(step.id ?? step.uses?.replace(/@.*/, '') ?? '?');
    if (step.uses !== undefined) {
      moveArtifact(step, context, job);
      continue;
    }
    const { status, output, outputs } = await runScript(step, context, { temporary, summaryFile, job });
    log += output;
    if (step.id !== undefined) steps[step.id] = { outputs };
    if (status !== 0) context.isSuccess = false;
  }
  const outputs = Object.entries(action.outputs).map(([name, { value }]) => [name, fill(value, context)]);
  return {
    isSuccess: context.isSuccess,
    outputs: Object.fromEntries(outputs),
    log,
    summary: readFileSync(summaryFile, 'utf8'),
    steps: done,
  };
}

interface Context {
  inputs: Outputs;
  readonly steps: Readonly<Record<string, { outputs: Outputs }>>;
  readonly github: Readonly<Record<string, unknown>>;
  isSuccess: boolean;
}

/** A condition without a function that asks how the job is doing holds only while it is doing well. */
function holds(condition: string | undefined, context: Context): boolean {
  if (condition === undefined) return context.isSuccess;
  const expression = /^\$\{\{(.*)\}\}$/.exec(condition.trim())?.[1] ?? condition;
  const asks = /\b(?:always|cancelled|failure|success)\(\)/.test(expression);
  return (asks || context.isSuccess) && Boolean(evaluate(expression, context));
}

function fill(text: string, context: Context): string {
  return text.replaceAll(/\$\{\{(.*?)\}\}/g, (_, expression) => String(evaluate(expression, context) ?? ''));
}

/** Value of an expression: names are looked up first, so that what is left are literals and operators. */
function evaluate(expression: string, { inputs, steps, github, isSuccess }: Context): unknown {
  const roots: Readonly<Record<string, unknown>> = { inputs, steps, github };
  const literal = expression.replaceAll(/\b(?:inputs|steps|github)(?:\.[\w-]+)+/g, (name) => {
    const parts = name.split('.');
    const value = parts.reduce<unknown>((at, part) => (at as Record<string, unknown>)?.[part], roots);
    return JSON.stringify(value ?? '');
  });
  return runInNewContext(literal, {
    always: () => true,
    cancelled: () => false,
    success: () => isSuccess,
    failure: () => !isSuccess,
  });
}

interface Place {
  readonly temporary: string;
  readonly summaryFile: string;
  readonly job: Job;
}

async function runScript(step: ActionStep, context: Context, { temporary, summaryFile, job }: Place) {
  const outputFile = path.join(temporary, `output-${step.id}`);
  const scriptFile = path.join(temporary, `script-${step.id}.sh`);
  writeFileSync(outputFile, '');
  writeFileSync(scriptFile, step.run ?? '');
  const env = {
    ...process.env,
    GITHUB_ACTIONS: 'true',
    CI: 'true',
    GITHUB_WORKSPACE: job.workspace,
    GITHUB_ACTION_PATH: root,
    GITHUB_OUTPUT: outputFile,
    GITHUB_STEP_SUMMARY: summaryFile,
    RUNNER_TEMP: temporary,
    ...Object.fromEntries(Object.entries(step.env).map(([name, value]) => [name, fill(value, context)])),
    ...job.env,
  };
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', scriptFile], {
    cwd: path.join(job.workspace, fill(step['working-directory'] ?? '.', context)),
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  job.onStart?.(child, step);
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { status, output, outputs: readOutputs(readFileSync(outputFile, 'utf8')) };
}

/** Outputs in the format of `GITHUB_OUTPUT`: `NAME<<MARK`, lines, `MARK`. */
function readOutputs(text: string): Outputs {
  const outputs: Record<string, string> = {};
  const lines = text.split('\n');
  while (lines.length > 1) {
    const head = lines.shift() ?? '';
    const [, name, mark] = /^([\w-]+)<<(.+)$/.exec(head) ?? [];
    if (name === undefined || mark === undefined) throw new Error(`no output: ${head}`);
    const end = lines.indexOf(mark);
    if (end < 0) throw new Error(`an output without its end: ${head}`);
    outputs[name] = lines
      .splice(0, end + 1)
      .slice(0, -1)
      .join('\n');
  }
  return outputs;
}

/** What upload-artifact and download-artifact do: copies, in which no file can be executed. */
function moveArtifact(step: ActionStep, context: Context, job: Job): void {
  const argument = (name: string) => fill(String(step.with[name]), context);
  const name = argument('name');
  if (step.uses?.startsWith('actions/upload-artifact@')) {
    const kept = job.artifacts.get(name) ?? path.join(temporaryDirectory(), 'artifact');
    rmSync(kept, { recursive: true, force: true });
    cpSync(argument('path'), kept, { recursive: true });
    for (const entry of readdirSync(kept, { recursive: true, withFileTypes: true }))
      chmodSync(path.join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644);
    job.artifacts.set(name, kept);
    return;
  }
  const kept = job.artifacts.get(name);
  if (kept === undefined || !existsSync(kept)) throw new Error(`there is no artifact ${name}`);
  cpSync(kept, path.resolve(job.workspace, argument('path')), { recursive: true });
}
