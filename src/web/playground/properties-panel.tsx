import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Compilation } from '../../compiler/compile.js';
import type { RunEvent } from '../../machine/event.js';
import { simulate } from '../../run/simulate/simulate.js';
import { readScript } from '../../run-directory/simulation-script.js';
import { graphStructure } from '../../view/graph-structure.js';
import { traceOfFailure } from '../../view/overlay-of.js';
import { GraphPanel } from '../run/graph/graph-panel.jsx';
import { Button } from '../ui/button.jsx';
import { CopyButton } from '../ui/copy-button.jsx';
import { EmptyState } from '../ui/empty-state.jsx';
import { Loading } from '../ui/loading.jsx';
import { saveFile } from './save-file.js';
import type { CompiledText } from './use-compilation.js';
import type { Picture } from './use-picture.js';
import { useVerdicts, type Verdict } from './use-verdicts.js';

interface PropertiesPanelProps {
  readonly compiled: CompiledText;
  readonly picture: Picture | undefined;
  readonly onOpen: (nodeId: string) => void;
}

/** The properties of the pipeline, and the run that breaks the chosen one, over the picture. */
export function PropertiesPanel({ compiled, picture, onOpen }: PropertiesPanelProps) {
  const { of, verdicts, failure } = useVerdicts(compiled);
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  if (compiled.compilation.program === undefined)
    return <Notice text="This pipeline has errors: its properties can be decided once they are gone." />;
  if (of === undefined) return <Loading what="the verdicts" />;
  if (failure !== undefined) return <Notice text={failure} />;
  if (verdicts.length === 0)
    return (
      <EmptyState title="No properties">
        A property is a sentence that every run must keep, such as{' '}
        <code>graph ["check.reviewed"="publish only after approve = yes"]</code>.
      </EmptyState>
    );
  const broken = verdicts.filter(({ verdict }) => verdict === 'broken');
  const shown = broken.find((one) => keyOf(one) === chosen) ?? broken[0];
  return (
    <div class="properties">
      {of.text !== compiled.text && <Notice text="The text has changed: its properties are being decided." />}
      <ul class="verdicts">
        {verdicts.map((one) => (
          <VerdictItem
            key={keyOf(one)}
            verdict={one}
            isShown={one === shown}
            onShow={() => setChosen(keyOf(one))}
          />
        ))}
      </ul>
      {shown !== undefined && picture !== undefined && picture.text === of.text && (
        <BreakingRun compilation={of.compilation} verdict={shown} picture={picture} onOpen={onOpen} />
      )}
    </div>
  );
}

function Notice({ text }: { readonly text: string }) {
  return (
    <p class="notice small" data-state="waiting" role="status">
      {text}
    </p>
  );
}

/** Two authors may choose the same name. */
function keyOf({ origin, name }: Verdict): string {
  return `${origin} ${name}`;
}

const words = { holds: 'holds', broken: 'broken', undecided: 'not decided' } as const;

interface VerdictItemProps {
  readonly verdict: Verdict;
  readonly isShown: boolean;
  readonly onShow: () => void;
}

function VerdictItem({ verdict, isShown, onShow }: VerdictItemProps) {
  const { name, property, origin, verdict: kind, reasons = [], reason, path, script } = verdict;
  const [what] = reason?.split(' (path: ') ?? [];
  const [before] = verdict.ends_before?.split(' (path: ') ?? [];
  return (
    <li class="verdict" data-verdict={kind}>
      <p class="verdict-head">
        <span class="verdict-word">{words[kind]}</span> <strong>{name}</strong>
        {origin === 'pipeline' ? '' : <span class="muted"> ({origin})</span>} <code>{property}</code>
      </p>
      {reasons.map((one) => (
        <p key={one} class="muted small">
          {one}
        </p>
      ))}
      {what !== undefined && <p class="small">{what}</p>}
      {path !== undefined && <p class="small verdict-path">{path.join(' → ')}</p>}
      {before !== undefined && <p class="small">But the run ends before: {before}</p>}
      {script !== undefined && <ScriptTools name={name} script={script} isShown={isShown} onShow={onShow} />}
    </li>
  );
}

interface ScriptToolsProps {
  readonly name: string;
  readonly script: object;
  readonly isShown: boolean;
  readonly onShow: () => void;
}

function ScriptTools({ name, script, isShown, onShow }: ScriptToolsProps) {
  const text = `${JSON.stringify(script, undefined, 2)}\n`;
  const file = `${name.replaceAll(/[^A-Za-z0-9_-]/g, '_')}.script.json`;
  return (
    <>
      <div class="verdict-tools">
        <Button onClick={onShow} aria-pressed={isShown} disabled={isShown}>
          {isShown ? 'Shown below' : 'Show the run'}
        </Button>
        <Button icon="download" onClick={() => saveFile(file, text, 'application/json')}>
          Save script
        </Button>
        <CopyButton text={text} what={`the script of ${name}`} />
      </div>
      <p class="muted small">
        Play it: <code>attractor run pipeline.dot --simulate --script {file}</code>
      </p>
    </>
  );
}

interface BreakingRunProps {
  readonly compilation: Compilation;
  readonly verdict: Verdict;
  readonly picture: Picture;
  readonly onOpen: (nodeId: string) => void;
}

/** The picture with the run that breaks a property, which the simulator plays again here. */
function BreakingRun({ compilation, verdict, picture: { graph, svg }, onOpen }: BreakingRunProps) {
  const { nodes } = useMemo(() => graphStructure(graph), [graph]);
  const [events, setEvents] = useState<readonly RunEvent[] | undefined>(undefined);
  useEffect(() => {
    let isCurrent = true;
    setEvents(undefined);
    void played(compilation, verdict).then((found) => isCurrent && setEvents(found));
    return () => {
      isCurrent = false;
    };
  }, [compilation, verdict]);
  const overlay = useMemo(
    () => events && traceOfFailure(events, compilation.graph, verdict.reason ?? ''),
    [events, compilation, verdict],
  );
  if (overlay === undefined) return <Loading what="the run" />;
  return (
    <GraphPanel
      name={graph.name}
      picture={svg}
      nodes={nodes}
      overlay={overlay}
      selected={undefined}
      active={undefined}
      isLive={false}
      onOpen={onOpen}
    />
  );
}

/** Events of the run until it breaks the property; one of a configuration does not end it here. */
async function played(
  compilation: Compilation,
  { script, path = [] }: Verdict,
): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  let visits = 0;
  await simulate(compilation, {
    script: readScript(script, 'of the counterexample'),
    start: 0,
    onEvent: (event) => {
      if (event.type === 'StageStarted' && event.attempt === 1) visits += 1;
      if (visits <= path.length) events.push(event);
    },
  });
  return events;
}
