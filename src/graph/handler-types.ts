/**
 * Handler types of the language, each described once (§2.8, Appendix B). Shape resolution, lint, routing,
 * retries, rendering and the reference docs read this table.
 */
export interface HandlerType {
  readonly type: string;
  /** Shape that selects it (§2.8); a type without one is selected by the `type` attribute only. */
  readonly shape?: string;
  readonly title: string;
  readonly summary: string;
  /** True if it calls a language model. */
  readonly llm: boolean;
  /** Does no work, so that running it again costs nothing and its outcome needs no separate flush. */
  readonly instant: boolean;
  /** Routes on the incoming outcome instead of its own (SEMANTICS 21). */
  readonly inheritsOutcome: boolean;
  /** True if a FAIL may be retried by `max_retries` (SEMANTICS 24). */
  readonly retriesFailure: boolean;
  /** True if a FAIL may continue over a plain edge into a diamond (SEMANTICS 20, 20a). */
  readonly failureReachesConditional: boolean;
  /** Handles `timeout` itself, so that the engine does not stop it (SEMANTICS 56). */
  readonly ownsTimeout: boolean;
  /** Runs programs that may write `status.json`, and looks for one (SEMANTICS 59b). */
  readonly runsPrograms: boolean;
  /** Runs its own handler in a simulation too, because it then costs and changes nothing. */
  readonly runsSimulated: boolean;
  /** Runs its outgoing edges as branches, by the machine (§4.8). */
  readonly forks: boolean;
  /** True if branches preferably meet at it (§4.9, SEMANTICS 48). */
  readonly joins: boolean;
  /** Its outcome is always `success`. */
  readonly neverFails: boolean;
  /** Beginnings of the reserved keys that its stages may set (SEMANTICS 102). */
  readonly ownKeys: readonly string[];
  /**
   * Only moves on, or asks a person: it runs nothing, asks no model and changes no file, so that its
   * outcome follows from the pipeline, the stages before it and the answers. A server has no reason to
   * refuse it (§9.5).
   */
  readonly harmless: boolean;
  /** May ask the backend itself; stages of a pipeline that it runs do not count. */
  readonly mayAskModel: boolean;
  /**
   * Runs another pipeline, whose nodes have names below it in scripts and answers: `<node>/<node of the
   * child>` (§9.4).
   */
  readonly runsChild: boolean;
  /** Runs a command that the pipeline names; a server without `--allow-tools` refuses it (§9.5). */
  readonly runsCommand: boolean;
}

/**
 * Columns that most types share. Those that a server's policy reads have no default: each row states them.
 */
const stage = {
  llm: false,
  instant: false,
  inheritsOutcome: false,
  retriesFailure: true,
  failureReachesConditional: true,
  ownsTimeout: false,
  runsPrograms: false,
  runsSimulated: false,
  forks: false,
  joins: false,
  neverFails: false,
  ownKeys: [],
} as const;

/** Columns of a type that does no work. */
const noWork = { harmless: true, mayAskModel: false, runsChild: false, runsCommand: false } as const;
/** Columns of a type whose only work is a model's. */
const modelWork = { harmless: false, mayAskModel: true, runsChild: false, runsCommand: false } as const;

export const handlerTypes = [
  {
    ...stage,
    ...noWork,
    type: 'start',
    runsSimulated: true,
    shape: 'Mdiamond',
    title: 'Start',
    summary: 'Beginning of the pipeline; does nothing. Exactly one in a pipeline.',
    instant: true,
    retriesFailure: false,
    neverFails: true,
  },
  {
    ...stage,
    ...noWork,
    type: 'exit',
    runsSimulated: true,
    shape: 'Msquare',
    title: 'Exit',
    summary:
      'End of the pipeline, reached when every visited goal gate is satisfied. Exactly one in a pipeline.',
    instant: true,
    retriesFailure: false,
    neverFails: true,
  },
  {
    ...stage,
    ...modelWork,
    type: 'codergen',
    runsPrograms: true,
    runsSimulated: true,
    shape: 'box',
    title: 'LLM stage',
    summary: 'Sends its prompt to a language model or coding agent. The default for a node without a shape.',
    llm: true,
  },
  {
    ...stage,
    ...noWork,
    type: 'wait.human',
    ownKeys: ['human.'],
    runsSimulated: true,
    shape: 'hexagon',
    title: 'Human gate',
    summary: 'Waits until a person chooses one of the outgoing edges.',
    retriesFailure: false,
    failureReachesConditional: false,
    ownsTimeout: true,
  },
  {
    ...stage,
    ...noWork,
    type: 'conditional',
    runsSimulated: true,
    shape: 'diamond',
    title: 'Condition',
    summary: 'Routes on the outcome of the stage before it, by the conditions on its edges.',
    instant: true,
    inheritsOutcome: true,
    retriesFailure: false,
    neverFails: true,
  },
  {
    ...stage,
    ...noWork,
    type: 'parallel',
    ownKeys: ['parallel.'],
    runsSimulated: true,
    shape: 'component',
    title: 'Parallel fan-out',
    summary: 'Runs the outgoing edges as concurrent branches.',
    instant: true,
    forks: true,
  },
  {
    ...stage,
    ...modelWork,
    type: 'parallel.fan_in',
    ownKeys: ['parallel.'],
    runsSimulated: true,
    shape: 'tripleoctagon',
    title: 'Parallel fan-in',
    summary: 'Chooses the best result of the parallel branches before it.',
    joins: true,
    retriesFailure: false,
    failureReachesConditional: false,
  },
  {
    ...stage,
    type: 'tool',
    ownKeys: ['tool.', 'internal.cut.tool.'],
    runsPrograms: true,
    shape: 'parallelogram',
    title: 'Tool',
    summary: 'Runs `tool_command` in a shell; the exit code decides between success and failure.',
    harmless: false,
    mayAskModel: false,
    runsChild: false,
    runsCommand: true,
  },
  {
    ...stage,
    type: 'stack.manager_loop',
    runsSimulated: true,
    shape: 'house',
    title: 'Manager loop',
    summary: 'Supervises a child pipeline: observes and steers it until it ends.',
    harmless: false,
    mayAskModel: true,
    runsChild: true,
    runsCommand: false,
  },
  {
    ...stage,
    type: 'pipeline',
    runsSimulated: true,
    title: 'Sub-pipeline',
    summary: 'Runs the pipeline that `child` names as one stage, with `params.*` as its inputs.',
    harmless: false,
    mayAskModel: false,
    runsChild: true,
    runsCommand: false,
  },
] as const satisfies readonly HandlerType[];

export type BuiltInHandlerType = (typeof handlerTypes)[number]['type'];

/**
 * Assumed columns of a type that a program registers itself (§4.12): it may do anything that a policy asks
 * about. It has no `child` attribute, although its handler might run a pipeline.
 */
export function customHandlerType(type: string): HandlerType {
  return {
    ...stage,
    type,
    title: type,
    summary: 'A handler registered by the embedding program.',
    harmless: false,
    mayAskModel: true,
    runsChild: false,
    runsCommand: true,
  };
}

const byType = new Map<string, HandlerType>(handlerTypes.map((row) => [row.type, row]));
const byShape = new Map<string, HandlerType>(
  handlerTypes.flatMap((row) => ('shape' in row ? [[row.shape, row] as const] : [])),
);

export function handlerTypeNamed(type: string): HandlerType | undefined {
  return byType.get(type);
}

/** Handler type by name, with the assumed columns if it is not built in. */
export function handlerTypeOrCustom(type: string): HandlerType {
  return byType.get(type) ?? customHandlerType(type);
}

/** True if a stage of the type, or one of a pipeline that it runs, may ask a model. */
export function mayReachModel({ mayAskModel, runsChild }: HandlerType): boolean {
  return mayAskModel || runsChild;
}

export function handlerTypeOfShape(shape: string): HandlerType | undefined {
  return byShape.get(shape);
}
