import path from 'node:path';
import type { Compilation } from '../../compiler/compile.js';
import type { ChildEnd } from '../../handlers/child-runner.js';
import { resolveReferences } from '../../run-directory/artifact-reference.js';
import { ArtifactStore } from '../../run-directory/artifact-store.js';
import type { FileSystem } from '../../run-directory/file-system.js';
import type { RunResult } from '../../view/run-result.js';
import type { InvalidPipeline } from '../run-options.js';

/**
 * End of a child run for the stage that runs it, from its result.
 * @param nodeId of that stage
 */
export function childEnd(
  result: RunResult | InvalidPipeline,
  { source }: Pick<Compilation, 'source'>,
  nodeId: string,
  fileSystem: FileSystem,
): ChildEnd {
  switch (result.status) {
    case 'invalid':
      return refusal(source.name, describeErrors(result, source));
    case 'paused': {
      const at = result.waiting_node === undefined ? '' : ` ("${nodeId}/${result.waiting_node}")`;
      const why = result.paused_reason ?? 'it was interrupted';
      return { kind: 'paused', reason: `the child run of "${nodeId}" is paused: ${why}${at}` };
    }
    case 'success':
    case 'fail':
    case 'cancelled':
      return {
        kind: 'ended',
        result: { ...result, status: result.status, context: valuesOf(result, fileSystem) },
      };
  }
}

/** Context of the child with its values, because the parent does not have the child's artifacts. */
function valuesOf({ context, run_dir }: RunResult, fileSystem: FileSystem): RunResult['context'] {
  const directory = path.join(run_dir, 'artifacts');
  const artifacts = new ArtifactStore({ directory, fileSystem, now: () => 0 });
  const values = Object.entries(context).map(([key, value]) => [key, resolveReferences(value, artifacts)]);
  return Object.fromEntries(values);
}

/** End of a child whose pipeline must not run. */
export function refusal(file: string, problem: string): ChildEnd {
  return { kind: 'refused', reason: `the pipeline ${file} cannot be run: ${problem}` };
}

const errorsNamed = 3;

function describeErrors({ diagnostics }: InvalidPipeline, source: Compilation['source']): string {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const named = errors.slice(0, errorsNamed).map(({ rule, message, span }) => {
    const { line, column } = source.positionAt(span.start);
    return `${source.name}:${line}:${column}: ${message} [${rule}]`;
  });
  const more = errors.length > named.length ? ` (and ${errors.length - named.length} more)` : '';
  return `${named.join('; ')}${more}`;
}
