import type { Node } from '../../graph/graph.js';
import type { BackendCall, CodergenBackend } from '../../handlers/codergen-backend.js';
import { BegunExchange, returned } from './begun-exchange.js';
import type { ExchangeRequest } from './exchange.js';
import type { Recorder } from './recorder.js';

/** Backend that records its requests and answers. */
export function recordingBackend(backend: CodergenBackend, recorder: Recorder): CodergenBackend {
  return {
    readsFiles: (node, call) => backend.readsFiles?.(node, call) ?? false,
    async run(node, prompt, context, call) {
      const exchange = new BegunExchange(
        recorder,
        attemptOf(node, call),
        backendRequest(prompt, call),
        context,
      );
      const done = exchange.endWhenStopped(call.signal);
      try {
        const result = await backend.run(node, prompt, context, watchedCall(call, exchange));
        exchange.end(returned(result), statusFile(call, recorder));
        return result;
      } catch (error) {
        exchange.threw(error, statusFile(call, recorder));
        throw error;
      } finally {
        done();
      }
    },
  };
}

export function attemptOf({ id }: Pick<Node, 'id'>, { visit, attempt, logsRoot }: BackendCall) {
  return { nodeId: id, visit, attempt, logsRoot };
}

/** Request to a model, with its options. */
export function backendRequest(
  prompt: string,
  { model, fidelity, thread, routes, systemPrompt }: BackendCall,
): Extract<ExchangeRequest, { readonly kind: 'backend' }> {
  return {
    kind: 'backend',
    prompt,
    system_prompt: systemPrompt,
    provider: model.provider,
    model: model.model,
    reasoning_effort: model.reasoningEffort,
    fidelity,
    thread,
    labels: routes && [...routes.labels],
    targets: routes && [...routes.targets],
  };
}

/** Status file of a stage with its own verdict; other calls cannot leave one. */
function statusFile({ routes, stageDirectory }: BackendCall, recorder: Recorder): string | undefined {
  return routes === undefined ? undefined : recorder.statusFile(stageDirectory);
}

function watchedCall(call: BackendCall, exchange: BegunExchange): BackendCall {
  const newPrompt = call.promptForNewSession;
  return {
    ...call,
    report(progress) {
      exchange.act({ kind: 'progress', progress: structuredClone(progress) });
      call.report(progress);
    },
    checkBudget() {
      exchange.act({ kind: 'budget' });
      call.checkBudget();
    },
    ask(question) {
      exchange.act({ kind: 'question', drafts: [structuredClone(question)] });
      return call.ask(question);
    },
    log(level, message) {
      exchange.act({ kind: 'log', level, message });
      call.log(level, message);
    },
    writeFile(name, text) {
      exchange.act({ kind: 'file', name, text });
      call.writeFile(name, text);
    },
    // A replay asks for no other prompt, so it needs what became of this one.
    promptForNewSession:
      newPrompt &&
      (async () => {
        const text = await newPrompt();
        exchange.act({ kind: 'file', name: 'prompt.md', text });
        return text;
      }),
  };
}
