import type { ModelMessage, ToolModelMessage } from 'ai';
import type { BackendCall, BackendReply } from '../../handlers/codergen-backend.js';
import { type FailureDetails, failure, type Outcome } from '../../machine/outcome.js';
import { owedLabel, verdictInstruction, verdictReminders, verdictTool } from '../verdict.js';
import { VerdictRegister } from '../verdict-server/verdict-register.js';
import type { ModelReply, RequestedCall } from './request-model.js';
import type { CallResult, ToolCaller } from './tool-caller.js';

/** Consequence of a reply of a model. */
export type NextStep =
  /** Ask again, with these messages after the model's own. */
  | { readonly kind: 'ask'; readonly messages: readonly ModelMessage[] }
  | {
      readonly kind: 'end';
      readonly reply: BackendReply;
      /**
       * Messages after the model's own, so that the conversation can continue later; undefined if it must
       * not.
       */
      readonly messages?: readonly ModelMessage[];
    };

/** Limit of continuations of a truncated reply. */
const mostContinuations = 3;

/** Replies in a row with nothing but calls that cannot be made, after which the stage fails. */
const mostImpossible = 10;

const continuation =
  'Your reply was cut off by the length limit. Continue exactly where it stopped, and repeat nothing.';
const callCutOff =
  'This call was not made, because the reply that it is in was cut off by the length limit. Make it again, with less text in one reply.';
const failedBeside =
  'The outcome was not recorded: another call in the same reply failed. Look at its result, and report the outcome then.';

/** Dialogue between one stage and its model, from the first reply to the answer (§4.5, Appendix C). */
export class StageDialogue {
  readonly #call: Pick<BackendCall, 'routes' | 'log'>;
  readonly #nodeId: string;
  readonly #caller: ToolCaller;
  readonly #verdicts: VerdictRegister | undefined;
  /** Answer so far, whose end is still missing. */
  #begun = '';
  #answer = '';
  /** Text next to earlier tool calls. */
  #interim = '';
  #continuations = 0;
  #reminders = 0;
  #impossible = 0;
  #hasCalled = false;
  /** Reason why a verdict was ignored, so that another one has to follow. */
  #unheard: string | undefined;

  constructor(call: Pick<BackendCall, 'routes' | 'log'>, nodeId: string, caller: ToolCaller) {
    this.#call = call;
    this.#nodeId = nodeId;
    this.#caller = caller;
    this.#verdicts = call.routes && new VerdictRegister(call.routes);
  }

  /** Answer of the model so far. */
  get answer(): string {
    return this.#answer === '' ? this.#interim : this.#answer;
  }

  /** @throws the reason with which the stage was stopped while a tool ran */
  async take(reply: ModelReply): Promise<NextStep> {
    this.#note(reply);
    if (reply.end === 'complete') this.#continuations = 0;
    if (reply.end === 'filtered') return this.#filtered();
    if (reply.calls.length > 0) return this.#calls(reply);
    if (reply.end === 'cut_off') return this.#cutOff([{ role: 'user', content: continuation }]);
    return this.#stopped();
  }

  /** Records the text of a reply: the last one counts, except for one after a reminder of the verdict. */
  #note({ text, calls }: ModelReply): void {
    const whole = this.#begun + text;
    this.#begun = '';
    if (whole.trim() === '') return;
    if (calls.length > 0 && !calls.some(isVerdict)) this.#interim = whole;
    else if (this.#reminders === 0 || this.#answer === '') this.#answer = whole;
  }

  #filtered(): NextStep {
    return this.#failed('the provider stopped the reply at its content filter; change the prompt', {
      retryable: false,
      failure_category: 'terminal',
    });
  }

  async #calls({ calls, end }: ModelReply): Promise<NextStep> {
    this.#hasCalled = true;
    if (end === 'cut_off') {
      const results = calls.map((call): Answered => [call, { success: false, output: callCutOff }]);
      for (const [call, result] of results) await this.#caller.answer(call, result);
      if (this.#verdicts !== undefined && calls.some(isVerdict))
        this.#unheard = 'in a reply that was cut off';
      return this.#cutOff([toolMessage(results)]);
    }
    const results = new Map<RequestedCall, CallResult>();
    for (const call of calls) if (!isVerdict(call)) results.set(call, await this.#caller.make(call));
    const hasFailed = [...results.values()].some(({ success }) => !success);
    for (const call of calls.filter(isVerdict)) results.set(call, await this.#verdict(call, hasFailed));
    const told = toolMessage(calls.flatMap((call) => answered(call, results.get(call))));
    return this.#ended(told) ?? this.#lost(calls) ?? { kind: 'ask', messages: [told] };
  }

  /** Ends with a model that makes nothing but calls which cannot be made, reply after reply. */
  #lost(calls: readonly RequestedCall[]): NextStep | undefined {
    const problems = calls.map((call) => (isVerdict(call) ? undefined : this.#caller.problemOf(call)));
    this.#impossible = problems.includes(undefined) ? 0 : this.#impossible + 1;
    if (this.#impossible < mostImpossible) return undefined;
    return this.#failed(
      `the model made only calls that cannot be made in ${mostImpossible} replies in a row, the last one to "${calls.at(-1)?.name}": ${problems.at(-1)}; use a model that is better with tools, or name fewer in \`tools\``,
      { retryable: true },
    );
  }

  /** Takes a verdict, but not one next to a failed call: it came too early. */
  #verdict(call: RequestedCall, hasFailed: boolean): Promise<CallResult> {
    const { text, isError } = this.#taken(call, hasFailed);
    return this.#caller.answer(call, { success: !isError, output: text });
  }

  #taken(call: RequestedCall, hasFailed: boolean): { readonly text: string; readonly isError: boolean } {
    if (this.#verdicts === undefined) return { text: 'this stage needs no outcome', isError: true };
    if (hasFailed) {
      this.#unheard = 'next to a call that failed';
      return { text: failedBeside, isError: true };
    }
    this.#unheard = undefined;
    return this.#verdicts.take(call.problem === undefined ? call.input : undefined);
  }

  #ended(told: ModelMessage): NextStep | undefined {
    const reading = this.#verdicts?.reading;
    if (reading?.kind === 'outcome') {
      return this.#ends(reading.outcome, [told]);
    }
    if (reading === undefined || !this.#verdicts?.isExhausted) return undefined;
    if (reading.outcome !== undefined) return this.#lacking(reading.outcome);
    return this.#failed(`the model reported no usable outcome: ${reading.problem}`, { retryable: true });
  }

  #ends(outcome: Outcome, messages: readonly ModelMessage[]): NextStep {
    const response = this.#answer || outcome.notes || this.#interim;
    return { kind: 'end', reply: { response, outcome }, messages };
  }

  #cutOff(messages: readonly ModelMessage[]): NextStep {
    this.#begun = messages[0]?.role === 'user' ? this.#answer : '';
    this.#continuations += 1;
    if (this.#continuations <= mostContinuations) return { kind: 'ask', messages };
    this.#answer = `${this.#answer}\n\n[cut off by the length limit]`;
    return this.#failed(
      `the reply was cut off by the length limit, and not complete after ${mostContinuations} continuations; ask for less, or raise "ai.max_output_tokens" in the configuration`,
      { retryable: true },
    );
  }

  #stopped(): NextStep {
    const ways = this.#call.routes;
    if (this.answer === '' && !this.#hasCalled) {
      return this.#failed('the model gave no answer', { retryable: true });
    }
    // An unusable verdict must not become a success because the model gave up.
    const reading = this.#verdicts?.reading;
    // It came before words of a person, which the model has answered now.
    if (reading?.kind === 'outcome' && this.#unheard === undefined) return this.#ends(reading.outcome, []);
    const wanted = ways === undefined ? 0 : verdictReminders(ways);
    const isOwed = wanted > 0 || reading !== undefined || this.#unheard !== undefined;
    if (ways === undefined || !isOwed) return { kind: 'end', reply: { response: this.answer }, messages: [] };
    if (this.#reminders < Math.max(1, wanted)) {
      this.#reminders += 1;
      return {
        kind: 'ask',
        messages: [{ role: 'user', content: verdictInstruction({ ...ways, isChoice: true }) }],
      };
    }
    if (this.#unheard !== undefined) {
      return this.#failed(`the model reported an outcome ${this.#unheard}, and did not repeat it`, {
        retryable: true,
      });
    }
    if (reading?.kind === 'invalid') {
      if (reading.outcome !== undefined) return this.#lacking(reading.outcome);
      return this.#failed(`the model reported no usable outcome: ${reading.problem}`, { retryable: true });
    }
    const owed = owedLabel(ways, 'the model', this.#reminders);
    if (owed !== undefined) return this.#failed(owed, { retryable: true });
    this.#call.log(
      'warning',
      `the model of "${this.#nodeId}" did not call ${verdictTool}, even after a reminder: its answer counts as a success`,
    );
    return { kind: 'end', reply: { response: this.answer }, messages: [] };
  }

  /** Ends with a success that lacks keys of its `writes`: the stage names them when it fails (SEMANTICS 103). */
  #lacking(outcome: Outcome): NextStep {
    return { kind: 'end', reply: { response: this.answer || (outcome.notes ?? ''), outcome } };
  }

  #failed(reason: string, details: FailureDetails): NextStep {
    const outcome: Outcome = failure(reason, details);
    return { kind: 'end', reply: { response: this.answer, outcome } };
  }
}

type Answered = readonly [RequestedCall, CallResult];

function answered(call: RequestedCall, result: CallResult | undefined): readonly Answered[] {
  return result === undefined ? [] : [[call, result]];
}

function isVerdict({ name }: RequestedCall): boolean {
  return name === verdictTool;
}

function toolMessage(results: readonly Answered[]): ToolModelMessage {
  return {
    role: 'tool',
    content: results.map(([{ id, name }, { success, output }]) => ({
      type: 'tool-result',
      toolCallId: id,
      toolName: name,
      output: { type: success ? 'text' : 'error-text', value: output },
    })),
  };
}
