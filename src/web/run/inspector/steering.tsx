import { useId, useRef, useState } from 'preact/hooks';
import type { StageVisit } from '../../../view/stage-schema.js';
import { type Failure, failureOf } from '../../api/failure.js';
import { part, requestJson } from '../../api/request.js';
import { Button } from '../../ui/button.jsx';
import { KeyHint } from '../../ui/key-hint.jsx';
import { ProblemNotice } from '../../ui/problem-notice.jsx';
import { Age } from '../../ui/times.jsx';

interface SteeringProps {
  readonly runId: string;
  readonly visit: StageVisit;
}

/** What people have said to the model of a stage, and while it runs a field to say more. */
export function Steering({ runId, visit }: SteeringProps) {
  return <Words runId={runId} visit={visit} words={visit.words} />;
}

/** The same, with those words only that the model does not have yet. */
export function PendingWords({ runId, visit }: SteeringProps) {
  const pending = visit.words.filter(({ delivered_at: delivered }) => delivered === null);
  return <Words runId={runId} visit={visit} words={pending} />;
}

interface WordsProps extends SteeringProps {
  readonly words: StageVisit['words'];
}

function Words({ runId, visit, words }: WordsProps) {
  const isRunning = visit.status === 'running' || visit.status === 'asking';
  if (!isRunning && words.length === 0) return null;
  return (
    <section class="part steering">
      <h3>{words.length === 0 ? 'Words to the model' : 'Said to the model'}</h3>
      {words.length > 0 && (
        <ul class="log">
          {words.map(({ id, text, by, at, delivered_at: delivered }) => (
            <li key={id}>
              <p class="text-plain">{text}</p>
              <p class="muted small">
                {by !== null && <span class="mono">{by}</span>} <Age at={at} /> ·{' '}
                {delivered !== null
                  ? 'the model has it'
                  : isRunning
                    ? 'waits for its next request'
                    : 'too late: the stage had ended'}
              </p>
            </li>
          ))}
        </ul>
      )}
      {isRunning && <SayMore runId={runId} visit={visit} />}
    </section>
  );
}

function SayMore({ runId, visit: { node_id: stage, branch } }: SteeringProps) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const isEmpty = text.trim() === '';
  const send = async (): Promise<void> => {
    if (isEmpty || isBusy) return;
    setBusy(true);
    setFailure(undefined);
    try {
      const body = { stage, branch: branch ?? undefined, text };
      await requestJson(`pipelines/${part(runId)}/steer`, { method: 'POST', body });
      setText('');
      // The button that was pressed has nothing to send any more, and would lose the focus.
      field.current?.focus();
    } catch (error) {
      setFailure(failureOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      class="field"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <label for={id}>Tell it something while it works</label>
      <textarea
        id={id}
        ref={field}
        rows={2}
        value={text}
        readOnly={isBusy}
        maxLength={20_000}
        aria-describedby={`${id}-hint`}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          void send();
        }}
      />
      <div class="row">
        <Button type="submit" isBusy={isBusy} disabled={isEmpty}>
          Tell
        </Button>
        <span class="muted small" id={`${id}-hint`}>
          <KeyHint keys="Ctrl" /> <KeyHint keys="Enter" /> tells it
        </span>
      </div>
      {failure && <ProblemNotice failure={failure} />}
    </form>
  );
}
