import type { Program } from '../../graph/program.js';
import type { StageSteering, SteeringReadiness } from '../../handlers/stage-steering.js';
import type { AttemptInput, InputBody } from '../../machine/input.js';
import type { PersonWords } from '../../machine/person-words.js';
import type { Progress } from '../../machine/progress.js';
import { branchOf, type Cursor, type RunState } from '../../machine/state.js';
import { boundedText } from '../../run-directory/bounded-text.js';
import { longestWords } from '../../run-directory/longest-words.js';
import { noRedactor, type Redactor } from '../../secrets/redactor.js';

/** Running stage that words are for. */
export interface SteeredStage {
  readonly stage: string;
  /** Its branch, where several execute the stage. */
  readonly branch?: string | undefined;
}

interface WordsHost {
  readonly program: Program;
  readonly redactor: Redactor | undefined;
  state(): RunState;
  dispatch(input: InputBody): void;
  /** Called when a stage opens itself to words, or refuses them. */
  onReadiness?(readiness: SteeringReadiness): void;
}

/** Attempt under way that words are for. */
interface SteeredAttempt {
  readonly isOver: boolean;
  readonly report: (progress: Progress) => void;
}

/** Attempt of a stage that may take words; undefined until its backend says so. */
interface Listener {
  readonly attempt: AttemptInput;
  readiness: SteeringReadiness | undefined;
}

/** Words of people to the running stages of one run: each becomes an input of the machine. */
export class StageWords {
  readonly #host: WordsHost;
  readonly #listeners = new Map<string, Listener>();

  constructor(host: WordsHost) {
    this.#host = host;
  }

  /** @param stage the attempt as it is under way; once it is over, it opens itself no more, and refuses nothing */
  steeringOf(attempt: AttemptInput, stage: SteeredAttempt): StageSteering {
    const listener: Listener = { attempt, readiness: undefined };
    this.#listeners.set(attempt.cursor, listener);
    const delivered = new Set<string>();
    const { state, redactor = noRedactor } = this.#host;
    const become = (readiness: SteeringReadiness): void => {
      if (stage.isOver) return;
      listener.readiness = readiness;
      this.#host.onReadiness?.(readiness);
    };
    return {
      open() {
        become('open');
      },
      refuse(refusal) {
        become({ refusal: boundedText(redactor.text(refusal)) });
      },
      get waiting() {
        const cursor = state().cursors.get(attempt.cursor);
        if (cursor?.index !== attempt.index) return [];
        return cursor.words.filter(({ id }) => !delivered.has(id));
      },
      delivered(id) {
        delivered.add(id);
        stage.report({ kind: 'steering_delivered', steering_id: id });
      },
    };
  }

  /**
   * Says something to a running stage.
   * @returns the reason why it takes no words, as a sentence; undefined if they are on their way into the journal
   */
  steer(to: SteeredStage, words: PersonWords): string | undefined {
    const running = this.#running(to);
    const [cursor] = running;
    if (cursor === undefined) return `"${to.stage}" is not running now`;
    if (running.length > 1) {
      const branches = running.map(({ id }) => branchOf(id) ?? 'the main line').join(', ');
      return `"${to.stage}" runs in several branches: name one of ${branches}`;
    }
    const refusal = this.#refusal(cursor) ?? problemWith(words);
    if (refusal !== undefined) return refusal;
    const { id, index, attempt } = cursor;
    const { redactor = noRedactor } = this.#host;
    const clean = { ...redactor.json(words), id: words.id };
    this.#host.dispatch({ kind: 'steered', cursor: id, index, attempt, words: clean });
    return undefined;
  }

  #running({ stage, branch }: SteeredStage): readonly Cursor[] {
    const { status, cursors } = this.#host.state();
    if (status !== 'running') return [];
    return [...cursors.values()].filter(
      ({ id, nodeId, phase }) =>
        nodeId === stage && phase === 'running' && (branch === undefined || branch === branchOf(id)),
    );
  }

  #refusal({ id, nodeId, index, attempt }: Cursor): string | undefined {
    const handler = this.#host.program.nodes.get(nodeId)?.handler;
    if (handler?.mayAskModel !== true)
      return `"${nodeId}" has no model: it is a stage of type ${handler?.type}`;
    const listener = this.#listeners.get(id);
    const isCurrent = listener?.attempt.index === index && listener.attempt.attempt === attempt;
    // After a crash or a takeover, the stage is in the journal before it begins here.
    if (!isCurrent) return `"${nodeId}" is only just beginning: try again in a moment`;
    const { readiness } = listener;
    if (readiness === 'open') return undefined;
    return readiness?.refusal ?? `"${nodeId}" takes no words while it works`;
  }
}

function problemWith({ text }: PersonWords): string | undefined {
  if (text.trim() === '') return 'There is nothing to say: the text is empty';
  if (text.length <= longestWords) return undefined;
  return `The text has ${text.length} characters; a stage takes at most ${longestWords} at once`;
}
