import type {
  EventHeader,
  InterviewCompleted,
  InterviewTimeout,
  ModelUsed,
  ParallelBranchCompleted,
  RequestRetrying,
  RunEvent,
  StageCompleted,
  StageFailed,
  StageSkipped,
  StageStarted,
  ToolCallCompleted,
  ToolCallStarted,
} from '../machine/event.js';
import { mainCursor } from '../machine/state.js';
import type { OpenSpan, SpanAttributes, SpanEnd, SpanSink } from './span.js';
import { spanIdOf, traceIdOf } from './span-ids.js';

/** A span that has begun. */
interface StartedSpan {
  readonly span: OpenSpan;
  readonly id: string;
}

interface Attempt {
  readonly visit: StartedSpan;
  readonly attempt: StartedSpan;
  /**
   * Time at which the stage last finished waiting for something; a model request is reported only when it
   * ends, so it began here.
   */
  idleSince: number;
  readonly tools: Map<string, StartedSpan>;
}

/** Parent of a run: the stage of another run that has started it. */
export interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
}

export interface RunSpansOptions {
  /** Handler of a node, if known. */
  readonly handlerOf?: (nodeId: string) => { readonly type: string; readonly llm: boolean } | undefined;
  readonly parent?: SpanContext;
}

/**
 * The spans of one run in one process, from its events: run → branch → visit of a stage → attempt → requests to models and calls of
 * tools, named after the semantic conventions for generative AI. Neither prompts nor answers are in them.
 */
export class RunSpans {
  readonly #sink: SpanSink;
  readonly #options: RunSpansOptions;
  #runId = '';
  #traceId = '';
  #run: StartedSpan | undefined;
  #now = 0;
  /** Attempts by branch, like the three maps below: a branch does one thing at a time. */
  readonly #attempts = new Map<string, Attempt>();
  readonly #visits = new Map<string, StartedSpan>();
  readonly #branches = new Map<string, StartedSpan>();
  readonly #questions = new Map<string, StartedSpan>();
  /** Visits by node id. */
  readonly #visitOf = new Map<string, StartedSpan>();

  constructor(sink: SpanSink, options: RunSpansOptions = {}) {
    this.#sink = sink;
    this.#options = options;
  }

  /** Context of the latest visit of a node that is under way, for the run that it has started. */
  contextOf(nodeId: string): SpanContext | undefined {
    const visit = this.#visitOf.get(nodeId);
    return visit === undefined ? undefined : { traceId: this.#traceId, spanId: visit.id };
  }

  /** Call with every event of the run in this process, in order. */
  add(event: RunEvent): void {
    this.#now = Date.parse(event.timestamp);
    switch (event.type) {
      case 'PipelineStarted':
      case 'PipelineResumed':
        return this.#begin(event);
      case 'PipelineCompleted':
        return this.#end({ 'attractor.run.status': 'success' });
      case 'PipelineFailed':
        return this.#end({ 'attractor.run.status': 'fail', 'error.type': event.kind }, event.error);
      case 'PipelineCancelled':
        return this.#end({ 'attractor.run.status': 'cancelled' });
      case 'PipelinePaused':
        return this.#end({ 'attractor.run.status': 'paused' });
      case 'ParallelBranchStarted':
        this.#branches.set(
          event.branch,
          this.#open(event, 'branch', `branch ${event.branch}`, this.#line(event.parent), {
            'attractor.branch': event.branch,
            'attractor.node.id': event.node_id,
          }),
        );
        return;
      case 'ParallelBranchCompleted':
        return this.#endBranch(event);
      case 'StageStarted':
        return this.#beginStage(event);
      case 'StageCompleted':
      case 'StageSkipped':
      case 'StageFailed':
        return this.#endAttempt(event);
      case 'StageSuspended':
        return this.#endVisit(event.branch, {
          end: this.#now,
          attributes: { 'attractor.outcome': 'suspended' },
        });
      case 'ToolCallStarted':
      case 'ToolCallCompleted':
        return this.#addTool(event);
      case 'ModelUsed':
        return this.#addModel(event);
      case 'RequestRetrying':
        return this.#addFailedRequest(event);
      case 'InterviewStarted':
      case 'InterviewCompleted':
      case 'InterviewTimeout':
        return this.#addInterview(event);
    }
  }

  /** Ends every open span, when the process releases the run without a last event. */
  stop(now: number): void {
    this.#now = Math.max(this.#now, now);
    this.#end({ 'attractor.run.status': 'interrupted' });
  }

  #begin(event: Extract<RunEvent, { readonly type: 'PipelineStarted' | 'PipelineResumed' }>): void {
    const { parent } = this.#options;
    this.#runId = event.run_id;
    this.#traceId = parent?.traceId ?? traceIdOf(event.run_id);
    const name = event.type === 'PipelineStarted' ? event.name : undefined;
    this.#run = this.#open(
      event,
      'run',
      `invoke_workflow${name === undefined ? '' : ` ${name}`}`,
      parent?.spanId,
      {
        'gen_ai.operation.name': 'invoke_workflow',
        'gen_ai.workflow.name': name,
        'attractor.run.id': event.run_id,
        'attractor.graph.hash': event.type === 'PipelineStarted' ? event.graph_hash : undefined,
        'attractor.resumed_from': event.type === 'PipelineResumed' ? event.from : undefined,
      },
    );
  }

  #beginStage(event: StageStarted & EventHeader): void {
    const { branch = mainCursor, node_id: nodeId, attempt, visit, resumed } = event;
    const handler = this.#options.handlerOf?.(nodeId);
    const known = this.#visits.get(branch);
    const isAgent = handler?.llm === true;
    const visited =
      known ??
      this.#open(
        event,
        'visit',
        `${isAgent ? 'invoke_agent' : 'stage'} ${nodeId}`,
        this.#line(event.branch),
        {
          'gen_ai.operation.name': isAgent ? 'invoke_agent' : undefined,
          'gen_ai.agent.name': isAgent ? nodeId : undefined,
          'gen_ai.conversation.id': event.thread_id,
          'attractor.run.id': this.#runId,
          'attractor.node.id': nodeId,
          'attractor.node.handler': handler?.type,
          'attractor.node.visit': visit,
          'attractor.branch': event.branch,
          'attractor.resumed': resumed || undefined,
        },
      );
    this.#visits.set(branch, visited);
    this.#visitOf.set(nodeId, visited);
    const span = this.#open(event, 'attempt', `attempt ${attempt}`, visited.id, {
      'attractor.node.id': nodeId,
      'attractor.attempt': attempt,
    });
    this.#attempts.set(branch, { visit: visited, attempt: span, idleSince: this.#now, tools: new Map() });
  }

  #endAttempt(event: StageCompleted | StageSkipped | StageFailed): void {
    const branch = event.branch ?? mainCursor;
    const error = event.type === 'StageFailed' ? event.error : undefined;
    const end: SpanEnd = {
      end: this.#now,
      error,
      attributes: {
        'attractor.outcome': event.outcome.status,
        'error.type': error === undefined ? undefined : (event.outcome.failure_category ?? 'stage_failed'),
      },
    };
    this.#closeAttempt(branch, end);
    if (event.type === 'StageFailed' && event.will_retry) return;
    this.#endVisit(event.branch, end);
  }

  #closeAttempt(branch: string, end: SpanEnd): void {
    const attempt = this.#attempts.get(branch);
    if (attempt === undefined) return;
    for (const { span } of attempt.tools.values()) span.end({ end: end.end });
    attempt.attempt.span.end(end);
    this.#attempts.delete(branch);
  }

  #endVisit(branch: string = mainCursor, end: SpanEnd): void {
    this.#closeAttempt(branch, end);
    this.#questions.get(branch)?.span.end({ end: end.end });
    this.#questions.delete(branch);
    const visit = this.#visits.get(branch);
    visit?.span.end(end);
    this.#visits.delete(branch);
    for (const [nodeId, one] of this.#visitOf) if (one === visit) this.#visitOf.delete(nodeId);
  }

  #endBranch({ branch, status, error }: ParallelBranchCompleted): void {
    // A stopped branch may have a stage that never settles.
    this.#endVisit(branch, { end: this.#now, attributes: { 'attractor.outcome': status } });
    this.#branches.get(branch)?.span.end({
      end: this.#now,
      error: status === 'fail' ? (error ?? 'the branch failed') : undefined,
      attributes: { 'attractor.outcome': status },
    });
    this.#branches.delete(branch);
  }

  #addTool(event: (ToolCallStarted | ToolCallCompleted) & EventHeader): void {
    const attempt = this.#attempts.get(event.branch ?? mainCursor);
    if (attempt === undefined) return;
    const { call_id: id, tool } = event;
    if (event.type === 'ToolCallStarted') {
      const span = this.#open(event, 'tool', `execute_tool ${tool}`, attempt.attempt.id, {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': tool,
        'gen_ai.tool.call.id': id,
      });
      attempt.tools.set(id, span);
      return;
    }
    attempt.tools.get(id)?.span.end({
      end: this.#now,
      error: event.success ? undefined : `the tool "${tool}" failed`,
      attributes: event.success ? undefined : { 'error.type': 'tool_error' },
    });
    attempt.tools.delete(id);
    attempt.idleSince = this.#now;
  }

  #addModel(event: ModelUsed & EventHeader): void {
    const attempt = this.#attempts.get(event.branch ?? mainCursor);
    // Usage of a child run is in its own spans.
    if (attempt === undefined || event.child_run !== undefined) return;
    const { provider, model, usage } = event;
    const span = this.#open(
      event,
      'chat',
      model === '' ? 'chat' : `chat ${model}`,
      attempt.attempt.id,
      {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': provider === '' ? undefined : provider,
        'gen_ai.request.model': model === '' ? undefined : model,
        'gen_ai.usage.input_tokens': usage.input_tokens,
        'gen_ai.usage.output_tokens': usage.output_tokens,
        'gen_ai.usage.cache_read.input_tokens': usage.cached_input_tokens,
        'gen_ai.usage.cache_creation.input_tokens': usage.cache_write_tokens,
        'gen_ai.usage.reasoning.output_tokens': usage.reasoning_tokens,
        'attractor.usage.requests': usage.requests,
        'attractor.usage.cost_usd': usage.cost_usd,
      },
      { kind: 'client', start: Math.min(attempt.idleSince, this.#now) },
    );
    span.span.end({ end: this.#now });
    attempt.idleSince = this.#now;
  }

  /** A failed request, from the end of what was before it; the next one begins after the pause. */
  #addFailedRequest(event: RequestRetrying & EventHeader): void {
    const attempt = this.#attempts.get(event.branch ?? mainCursor);
    if (attempt === undefined) return;
    const { provider, model, reason, delay } = event;
    const span = this.#open(
      event,
      'chat',
      `chat ${model}`,
      attempt.attempt.id,
      {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': provider,
        'gen_ai.request.model': model,
        'attractor.retry_delay_ms': delay,
      },
      { kind: 'client', start: Math.min(attempt.idleSince, this.#now) },
    );
    span.span.end({ end: this.#now, error: reason, attributes: { 'error.type': reason } });
    attempt.idleSince = this.#now + delay;
  }

  #addInterview(event: Extract<RunEvent, { readonly type: `Interview${string}` }>): void {
    const branch = event.branch ?? mainCursor;
    if (event.type === 'InterviewStarted') {
      const parent = this.#attempts.get(branch)?.attempt.id ?? this.#line(event.branch);
      this.#questions.set(
        branch,
        this.#open(event, 'question', `question ${event.stage}`, parent, {
          'attractor.node.id': event.stage,
          'attractor.question.type': event.question.type,
        }),
      );
      return;
    }
    this.#questions.get(branch)?.span.end({ end: this.#now, attributes: answerAttributes(event) });
    this.#questions.delete(branch);
  }

  /** The span of a branch, or of the run. */
  #line(branch: string | undefined): string | undefined {
    return (branch === undefined ? undefined : this.#branches.get(branch)?.id) ?? this.#run?.id;
  }

  #open(
    { seq }: Pick<EventHeader, 'seq'>,
    part: string,
    name: string,
    parentSpanId: string | undefined,
    attributes: SpanAttributes,
    { kind = 'internal', start = this.#now }: { kind?: 'internal' | 'client'; start?: number } = {},
  ): StartedSpan {
    const id = spanIdOf(this.#runId, seq, part);
    const traceId = this.#traceId;
    return {
      id,
      span: this.#sink.begin({ traceId, spanId: id, parentSpanId, name, kind, start, attributes }),
    };
  }

  #end(attributes: SpanAttributes, error?: string): void {
    const cutOff: SpanEnd = { end: this.#now };
    for (const branch of [...this.#visits.keys()]) this.#endVisit(branch, cutOff);
    for (const { span } of this.#branches.values()) span.end(cutOff);
    this.#branches.clear();
    this.#run?.span.end({ end: this.#now, error, attributes });
    this.#run = undefined;
  }
}

function answerAttributes({ type }: InterviewCompleted | InterviewTimeout): SpanAttributes {
  return { 'attractor.question.timed_out': type === 'InterviewTimeout' };
}
