import type { ComponentChildren } from 'preact';
import { callInput } from '../../../view/conversation/call-input.js';
import type {
  CallPart,
  ConversationStep,
  TurnPart,
  TurnStep,
} from '../../../view/conversation/conversation-steps.js';
import type { WaitStep } from '../../../view/conversation/conversation-waits.js';
import {
  attemptWords,
  callEnd,
  compactionWords,
  outcomeWords,
  personName,
  replyEndWords,
  requestTitle,
  retryWords,
  turnUsageWords,
} from '../../../view/conversation/conversation-words.js';
import { formatDuration } from '../../../view/format-duration.js';
import { toolCallText } from '../../../view/tool-call-text.js';
import { CopyButton } from '../../ui/copy-button.jsx';
import { EditDiff } from './edit-diff.jsx';
import { FoldedText } from './folded-text.jsx';
import { Markdown } from './markdown.jsx';

export type ThreadStep = ConversationStep | WaitStep;

const promptLines = 12;
const inputLines = 8;
const resultLines = 8;

/** Step of a conversation; those that nobody said are quiet lines. */
export function Step({ step }: { readonly step: ThreadStep }) {
  switch (step.kind) {
    case 'attempt':
      return (
        <h3 class="thread-attempt">
          {capitalized(attemptWords(step))} <At at={step.at} />
        </h3>
      );
    case 'request':
      return (
        <Said who={requestTitle(step)} kind="request" at={step.at}>
          <FoldedText
            text={step.text}
            what={step.isPrompt ? 'the prompt' : 'the request'}
            lines={promptLines}
          />
        </Said>
      );
    case 'person':
      return (
        <Said
          who={personName(step)}
          kind="person"
          isNamed={step.by !== undefined}
          at={step.at}
          copies={step.text}
          what="these words"
        >
          {step.question !== undefined && <p class="text-plain muted">{step.question}</p>}
          <p class="text-plain">{step.text}</p>
        </Said>
      );
    case 'turn':
      return <Turn turn={step} />;
    case 'answer': {
      const words = outcomeWords(step.outcome);
      return words === '' ? null : (
        <p class="thread-outcome text-plain">
          <strong>Outcome:</strong> {words}
        </p>
      );
    }
    case 'retried':
      return <Quiet at={step.at}>{capitalized(retryWords(step))}</Quiet>;
    case 'wait':
      return <Quiet at={step.at}>{capitalized(step.text)}</Quiet>;
    case 'compacted':
      return (
        <details class="thread-quiet small">
          <summary>
            {capitalized(compactionWords(step))} <At at={step.at} />
          </summary>
          <p class="text-plain">{step.summary}</p>
        </details>
      );
  }
}

function Turn({ turn: { number, at, used, parts, end } }: { readonly turn: TurnStep }) {
  const words = parts.flatMap((part) =>
    part.kind === 'words' && part.channel === 'response' ? [part.text] : [],
  );
  return (
    <Said
      who={`Turn ${number}`}
      kind="turn"
      at={at}
      about={used === undefined ? '' : turnUsageWords(used)}
      copies={words.length === 0 ? undefined : words.join('\n\n').trim()}
      what={`the words of turn ${number}`}
    >
      {parts.map((part, index) => (
        <Part key={index} part={part} />
      ))}
      {end !== undefined && <p class="thread-quiet small">{capitalized(replyEndWords[end])}</p>}
    </Said>
  );
}

function Part({ part }: { readonly part: TurnPart }) {
  if (part.kind === 'call') return <Call call={part} />;
  const text = part.text.trim();
  if (part.channel === 'response') return <Markdown text={text} />;
  return (
    <details class="thread-reasoning">
      <summary class="muted small">Reasoning</summary>
      <p class="text-plain muted reasoning">{text}</p>
    </details>
  );
}

function Call({ call }: { readonly call: CallPart }) {
  const { tool, title, input, edits, result } = call;
  const isBad = result?.success === false;
  const given = callInput(call);
  // An edit says more than what its tool says of it.
  const isEdit = edits.length > 0 && !isBad;
  const name = toolCallText(tool, input, title);
  return (
    <div class="call" data-state={result === undefined ? 'running' : isBad ? 'failed' : 'done'}>
      <p class="call-head">
        <code class="call-name">{name}</code>{' '}
        <span class="muted small number">
          <span class={isBad ? 'call-failed' : undefined}>{callEnd(result)}</span>
          {result !== undefined && ` ${formatDuration(result.duration)}`}
        </span>
      </p>
      {given !== '' && <FoldedText text={given} what="the input" lines={inputLines} />}
      {edits.map((edit, index) => (
        <EditDiff key={index} edit={edit} />
      ))}
      {result !== undefined && !isEdit && result.output !== '' && (
        <FoldedText text={result.output} what="the result" lines={resultLines} />
      )}
    </div>
  );
}

interface SaidProps {
  readonly who: string;
  readonly kind: 'request' | 'person' | 'turn';
  /** True for a person by their name, which does not say that it is one. */
  readonly isNamed?: boolean;
  readonly at: string;
  readonly about?: string;
  /** Text that its button copies. */
  readonly copies?: string | undefined;
  readonly what?: string;
  readonly children: ComponentChildren;
}

function Said({ who, kind, isNamed = false, at, about = '', copies, what = '', children }: SaidProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <div class={`said said-${kind}`} role="group" aria-label={who}>
      <div class="said-head">
        <p class="said-about">
          <strong>{isNamed ? who : capitalized(who)}</strong>
          {isNamed && <span class="badge badge-outline">a person</span>}
          <span class="muted small">
            <At at={at} />
            {about !== '' && <span class="number"> · {about}</span>}
          </span>
        </p>
        {copies !== undefined && <CopyButton text={copies} what={what} />}
      </div>
      {children}
    </div>
  );
}

function Quiet({ at, children }: { readonly at: string; readonly children: ComponentChildren }) {
  return (
    <p class="thread-quiet small text-plain">
      {children} <At at={at} />
    </p>
  );
}

function At({ at }: { readonly at: string }) {
  const time = new Date(at);
  return (
    <time class="muted small number thread-time" dateTime={at} title={time.toLocaleString()}>
      {time.toLocaleTimeString()}
    </time>
  );
}

function capitalized(text: string): string {
  return `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}`;
}
