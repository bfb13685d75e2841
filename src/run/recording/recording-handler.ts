import type { Handler, Stage } from '../../handlers/handler.js';
import { BegunExchange, returned } from './begun-exchange.js';
import type { Recorder } from './recorder.js';
import { stageAttempt } from './recording-tools.js';

/** Records a foreign handler, which may do anything, by its calls of the stage. */
export function recordingHandler(type: string, handler: Handler, recorder: Recorder): Handler {
  if (handler.fansOut || handler.isSimulated) return handler;
  return {
    ...handler,
    async execute(stage) {
      const exchange = new BegunExchange(
        recorder,
        stageAttempt(stage),
        { kind: 'handler', type },
        stage.context,
      );
      const before = recorder.statusFile(stage.stageDirectory);
      const written = (): string | undefined => {
        const after = recorder.statusFile(stage.stageDirectory);
        return after === before ? undefined : after;
      };
      const done = exchange.endWhenStopped(stage.signal);
      try {
        const result: unknown = await handler.execute(watchedStage(stage, exchange));
        exchange.end(returned(result), written());
        return result as Awaited<ReturnType<Handler['execute']>>;
      } catch (error) {
        exchange.threw(error, written());
        throw error;
      } finally {
        done();
      }
    },
  };
}

/** Stage that records the calls which a replay must repeat. */
function watchedStage(stage: Stage, exchange: BegunExchange): Stage {
  const watched: Partial<Stage> = {
    report(progress) {
      exchange.act({ kind: 'progress', progress: structuredClone(progress) });
      stage.report(progress);
    },
    checkBudget() {
      exchange.act({ kind: 'budget' });
      stage.checkBudget();
    },
    log(level, message) {
      exchange.act({ kind: 'log', level, message });
      stage.log(level, message);
    },
    writeFile(name, text) {
      exchange.act({ kind: 'file', name, text });
      stage.writeFile(name, text);
    },
    ask(question) {
      exchange.act({ kind: 'question', drafts: [structuredClone(question)] });
      return stage.ask(question);
    },
    askMultiple(questions) {
      exchange.act({ kind: 'question', drafts: structuredClone([...questions]) });
      return stage.askMultiple(questions);
    },
  };
  const overrides = new Map<PropertyKey, unknown>(Object.entries(watched));
  // Its fields are made on demand, so that it cannot be copied.
  return new Proxy(stage, {
    get: (target, key) => (overrides.has(key) ? overrides.get(key) : Reflect.get(target, key, target)),
  });
}
