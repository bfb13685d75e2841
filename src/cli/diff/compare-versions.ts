import { type Compilation, type CompileOptions, compile, compileJudged } from '../../compiler/compile.js';
import { hasErrors } from '../../diagnostic/diagnostic.js';
import { type BehaviourDifference, compareBehaviour } from '../../diff/behaviour.js';
import { comparePipelines, isEqual, type PipelineDifference } from '../../diff/compare-pipelines.js';
import type { ComparedPipeline } from '../../diff/facets.js';
import { knownHandlerTypes } from '../../graph/known-handler-types.js';
import type { Program } from '../../graph/program.js';
import type { ChosenExtensions } from '../../plugins/load-extensions.js';
import { compileOptionsOf, type ExtensionArguments, extensionsFor } from '../../setup/extensions.js';
import type { CostBound } from '../bound/bound-cost.js';
import { boundOf } from '../bound/print-bound.js';
import type { Io } from '../io.js';
import { type PipelineVersion, readVersion } from './read-version.js';

/** One version, compiled. */
export interface ComparedVersion {
  readonly version: PipelineVersion;
  readonly compilation: Compilation;
  readonly compared: ComparedPipeline;
}

/** Everything that differs between two versions. */
export interface VersionDifference {
  readonly before: ComparedVersion;
  readonly after: ComparedVersion;
  readonly difference: PipelineDifference;
  readonly isSame: boolean;
  /** Undefined if they mean the same, or one of them cannot run. */
  readonly behaviour: BehaviourDifference | undefined;
  readonly bounds: { readonly before: CostBound; readonly after: CostBound } | undefined;
}

/** Compares two versions; undefined with what keeps one from being read. */
export async function compareVersions(
  [oldName, newName]: readonly [string, string],
  args: ExtensionArguments,
  io: Io,
): Promise<VersionDifference | { readonly unreadable: ComparedVersion }> {
  const before = await compiled(oldName, args, io);
  const after = await compiled(newName, args, io);
  for (const one of [before, after]) if (isUnreadable(one)) return { unreadable: one };
  const difference = comparePipelines(before.compared, after.compared);
  const isSame = isEqual(difference);
  const runnable = [before, after].flatMap(({ compilation: { program, ...rest } }) =>
    program === undefined ? [] : [{ ...rest, program }],
  );
  const [old, now] = runnable;
  if (isSame || old === undefined || now === undefined)
    return { before, after, difference, isSame, behaviour: undefined, bounds: undefined };
  const behaviour = await compareBehaviour(old, now, difference.matched);
  const bounds = { before: bound(before, old, io), after: bound(after, now, io) };
  return { before, after, difference, isSame, behaviour, bounds };
}

interface Compiled extends ComparedVersion {
  readonly extensions: ChosenExtensions;
}

async function compiled(name: string, args: ExtensionArguments, io: Io): Promise<Compiled> {
  const version = await readVersion(name, io);
  const extensions = await extensionsFor(version.file, args, io);
  const options = { name: version.name, ...compileOptionsOf(extensions) };
  const files = await version.files(withoutFiles(version.text, options));
  const compilation = compile(version.text, { ...options, files });
  const { graph } = compilation;
  const hasProperties =
    options.properties.length > 0 || [...graph.attributes.keys()].some((key) => key.startsWith('check.'));
  const handlerTypes = knownHandlerTypes(options.handlerTypes);
  return { version, compilation, compared: { graph, handlerTypes, hasProperties }, extensions };
}

function withoutFiles(text: string, options: CompileOptions): Compilation['graph'] {
  return compileJudged(text, options, false).graph;
}

/** True for a text that is not a pipeline at all; one that cannot run is compared all the same. */
function isUnreadable({ compilation: { diagnostics } }: ComparedVersion): boolean {
  return hasErrors(diagnostics.filter(({ rule }) => rule === 'syntax'));
}

function bound(
  { version: { file, isRevision }, extensions }: Compiled,
  compilation: Compilation & { readonly program: Program },
  io: Io,
): CostBound {
  return boundOf({ file, compilation, extensions, hasNoFiles: isRevision }, undefined, io);
}
