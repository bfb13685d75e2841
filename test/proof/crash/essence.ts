import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { RunResult } from '../../../src/view/run-result.js';
import { jsonOf, type PipelineRun } from '../../run/harness.js';

/**
 * What must not depend on whether, and where, a run was cut off: all that its result, its checkpoint and its files say,
 * without times, the ids of runs, and the places of their directories.
 */
export function essence(
  { result, directory }: Pick<PipelineRun, 'result' | 'directory'>,
  { files }: { readonly files: boolean },
): unknown {
  return withoutChance({
    ...essenceOfRun(result, directory),
    children: childrenOf(directory).map((child) => ({
      child: path.relative(directory, child),
      ...essenceOfRun(jsonOf(child, 'result.json'), child),
    })),
    ...(files && { files: stageFiles(directory) }),
  });
}

/** The same of a finished run whose stages ended in an order that hangs on chance, without its files. */
export function essenceWithoutOrder(directory: string): unknown {
  const runs = [directory, ...childrenOf(directory)].map((run) => {
    const { path: nodes, completed_nodes, ...rest } = essenceOfRun(jsonOf(run, 'result.json'), run);
    const sorted = { path: [...nodes].sort(), completed_nodes: [...completed_nodes].sort() };
    return { run: path.relative(directory, run), ...rest, ...sorted };
  });
  return withoutChance(runs);
}

function essenceOfRun(result: RunResult, directory: string) {
  const { status, quality, failure_reason, failed_stages, completed_nodes, steps, visits, context } = result;
  const { node_outcomes, node_retries, current_node, next_node, logs } = jsonOf(directory, 'checkpoint.json');
  return {
    active_directory: jsonOf(directory, 'manifest.json').active_directory,
    ...{ status, quality, failure_reason, failed_stages, path: result.path },
    ...{ completed_nodes, steps, visits, context: withoutTelemetry(context) },
    checkpoint: { node_outcomes, node_retries, current_node, next_node },
    // A stage that runs again may say again what is worth an entry, and those of branches may come in another order.
    logs: [...new Set(logs)].sort(),
  };
}

/** What a manager saw of its child when it looked last depends on when that was. */
const telemetry =
  /^stack\.child\.(?:active_stages?|last_stage|completed_count|retries|failures|artifacts|last_event)$/;

function withoutTelemetry(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([key]) => !telemetry.test(key)));
}

function childrenOf(directory: string): readonly string[] {
  return filesIn(directory)
    .filter((file) => path.basename(file) === 'manifest.json')
    .map((file) => path.dirname(file));
}

/** Of the run itself and of its children; what is the same in them is compared as such. */
const runFile = /^(?:events\.jsonl|manifest\.json|checkpoint\.json|result\.json)$/;

/** The list of tools is there until the process that ran them ends in peace. */
const leftByKills = 'tools.jsonl';

/** What the stages left behind, by path. */
function stageFiles(directory: string): Readonly<Record<string, unknown>> {
  const files = filesIn(directory).filter((file) => {
    const name = path.basename(file);
    return !runFile.test(name) && name !== leftByKills && !isLeftLock(file);
  });
  return Object.fromEntries(files.map((file) => [path.relative(directory, file), contentOf(file)]));
}

/** A disk that fails may keep a lock, which is emptied then and nobody's, and what it was made from. */
function isLeftLock(file: string): boolean {
  const name = path.basename(file);
  return /^lock\.[0-9a-f]+$/.test(name) || (name === 'lock' && readFileSync(file, 'utf8') === '');
}

function contentOf(file: string): unknown {
  const text = readFileSync(file, 'utf8');
  if (file.endsWith('.json')) return JSON.parse(text);
  if (path.basename(file) === 'index.jsonl') return indexOf(text);
  if (path.basename(file) === 'conversation.jsonl') return conversationOf(text);
  // What goes before the prompt tells of an interruption, on purpose (§5.3, §9.2).
  return path.basename(file) === 'prompt.md' ? (text.split('\n---\n\n').at(-1) ?? '') : text;
}

/** The conversation of the latest attempt: one that is executed again has it again, after what an interruption adds to its prompt. */
function conversationOf(text: string): readonly unknown[] {
  const entries = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  const begun = entries.findLastIndex(({ kind }) => kind === 'begun');
  return entries
    .slice(begun)
    .map(({ kind, text: said, content }) => ({ kind, content, said: said?.split('\n---\n\n').at(-1) }));
}

/** An attempt that is executed again stores its artifacts again, later. */
function indexOf(text: string): readonly string[] {
  const entries = text.split('\n').map((line) => line.replace(/"stored_at":"[^"]*"/, ''));
  return [...new Set(entries)].sort();
}

function filesIn(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.parentPath !== directory)
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}

function withoutChance(value: unknown): unknown {
  if (typeof value === 'string') return textWithoutChance(value);
  if (Array.isArray(value)) return value.map(withoutChance);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === 'duration_ms'
        ? 'some time'
        : key === 'context_updates'
          ? withoutChance(withoutTelemetry(member))
          : withoutChance(member),
    ]),
  );
}

function textWithoutChance(text: string): string {
  return text
    .replaceAll(/\d{8}-\d{6}-\w+-[a-z2-7]{6}/g, '<run id>')
    .replaceAll(/\/[^\s"]*?\/run(?=[/"\s]|$)/g, '<run directory>');
}
