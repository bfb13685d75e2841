import type { ProblemCode } from '../api/problem.js';
import type { RouteTag } from '../http/route.js';

/** Descriptions of the chapters, in their order. */
export const tagWords: Readonly<Record<RouteTag, string>> = {
  runs: 'Start pipelines, list runs, and watch them.',
  steering: 'Pause, resume, cancel and fork runs, and steer their stages.',
  questions: 'List and answer the questions of runs.',
  history: 'The history of a run and the files of its stages.',
  language: 'Check, format and draw pipelines without running them.',
  server: 'The server itself, and its page.',
};

/** Meaning of each problem, for readers of the description. */
export const problemWords: Readonly<Record<ProblemCode, string>> = {
  bad_request: 'the request is invalid; the message names the problem.',
  invalid_pipeline: 'the pipeline has errors; `diagnostics` has them.',
  not_allowed: 'the policy of this server forbids the pipeline, or the token has no runs in the database.',
  unauthorized: 'the token is missing or wrong.',
  forbidden_host: 'the request is addressed to a host name that this server does not accept.',
  forbidden_origin: 'the request comes from a page of another site.',
  not_found: 'not found.',
  method_not_allowed: 'the method is not allowed; the header Allow lists those that are.',
  conflict: 'the state of the run does not allow this.',
  too_large: 'the body is larger than this server reads.',
  unsupported_media_type: 'the media type of the body is not supported.',
  too_many_requests: 'too many requests or runs; Retry-After says when to try again.',
  too_slow: 'the body was not received in time.',
  storage: 'a file could not be read or written.',
  unavailable: 'the database of the cluster does not answer; Retry-After says when to try again.',
  internal: 'a bug in the server.',
};

/** Descriptions of parameters in paths and queries. */
export const parameterWords: ReadonlyMap<string, string> = new Map([
  ['id', 'The id of a run.'],
  ['qid', 'The id of a question, or the stage that asks it.'],
  ['node', 'The id of a node.'],
  ['path', 'The path of a file of the stage, as listed by its visits.'],
  ['aid', 'The id of an artifact.'],
  ['name', 'The name of a file.'],
  ['search', 'A part of the id, name or goal of a run; case does not matter.'],
  ['status', 'Only runs with this status.'],
  ['limit', 'Maximum number of list entries, or of bytes of a file.'],
  ['cursor', '`next_cursor` of the page before.'],
  ['after', '`next` of the page before; 0 by default.'],
  ['from', 'The number of the first event to return.'],
  ['runs', 'The id of a run, or `ID@SEQ` to begin after the event with this number; once for each run.'],
  ['visit', 'Number of the visit of the stage; the latest by default.'],
  ['part', 'Part of a file that is larger than the limit.'],
  ['format', 'Format of the picture.'],
  ['theme', 'For light or dark pages; an SVG can adapt to the reader.'],
  ['run', '`left_out`: the pipeline alone, without what has happened in the run.'],
]);
