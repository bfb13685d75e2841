import { nodeAttribute } from '../graph/attributes.js';
import { handlerTypeOf } from '../graph/queries.js';
import { childRunsOfVisit } from './child-runs-of-visit.js';
import { narrowScope } from './fold/run-view.js';
import { visitDetails } from './fold/visit-details.js';
import type { VisitRecord } from './fold/visit-record.js';
import { type ReadHistory, readHistory } from './run-history.js';
import { rowOf } from './shown-visits.js';
import type { StageDetail, StageVisit } from './stage-schema.js';
import { visitFiles } from './visit-files.js';

/** Default number of visits that are shown in full. */
const visitsShown = 100;

interface StageDetailOptions {
  /** Maximum number of visits: the latest. */
  readonly limit?: number;
  /** Visit that is shown besides those. */
  readonly visit?: number | undefined;
}

/**
 * Stage and its visits so far, with the files on disk of each (§5.6, §9.5).
 * @returns undefined if the pipeline has no such node
 * @throws RunError where the run cannot be read
 */
export function stageDetail(
  directory: string,
  nodeId: string,
  { limit = visitsShown, visit: visitNumber }: StageDetailOptions = {},
  read: ReadHistory = readHistory,
): StageDetail | undefined {
  const { pipeline, visits, omitted } = read(directory, {
    ...narrowScope,
    nodeId,
    rows: visitNumber === undefined ? limit : Number.MAX_SAFE_INTEGER,
    details: limit,
    visit: visitNumber,
  });
  const { graph, handlerTypes } = pipeline;
  const node = graph.nodes.get(nodeId);
  const latest = visits.slice(-limit);
  const earlier = visits.slice(0, -limit).filter(({ visit }) => visit === visitNumber);
  if (node === undefined && visits.length === 0) return undefined;
  return {
    node_id: nodeId,
    label: (node && nodeAttribute(node, 'label')) || nodeId,
    handler: node === undefined ? '' : handlerTypeOf(graph, node, handlerTypes).type,
    attributes: Object.fromEntries(
      [...(node?.attributes.values() ?? [])].map(({ name, value }) => [
        name,
        typeof value === 'object' ? value.text : String(value),
      ]),
    ),
    visits: [...earlier, ...latest].map((visit) => visitOf(directory, visit)),
    omitted: omitted + visits.length - earlier.length - latest.length,
  };
}

/**
 * Visit with all details.
 * @param directory of the run
 */
export function visitOf(directory: string, record: VisitRecord): StageVisit {
  const details = record.details ?? visitDetails();
  return {
    ...rowOf(record),
    questions: details.questions,
    words: details.words,
    tool_uses: details.toolUses.map(({ callId: _callId, ...use }) => use),
    log: details.log,
    output: details.output,
    files: [...visitFiles(directory, record)],
    child_runs: [...childRunsOfVisit(directory, record)],
  };
}
