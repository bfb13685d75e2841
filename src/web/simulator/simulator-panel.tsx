import { useEffect, useRef, useState } from 'preact/hooks';
import { declaredInputs, type Inputs } from '../../graph/values/declared-inputs.js';
import type { CompiledText } from '../playground/use-compilation.js';
import type { Picture } from '../playground/use-picture.js';
import { Button } from '../ui/button.jsx';
import { Loading } from '../ui/loading.jsx';
import { beginSimulation } from './begin-simulation.js';
import { SimulatorInputs } from './simulator-inputs.jsx';
import type { SimulatorSession } from './simulator-session.js';
import { SimulatorView } from './simulator-view.jsx';

interface SimulatorPanelProps {
  readonly compiled: CompiledText;
  readonly picture: Picture | undefined;
}

/** Steps through the pipeline in the browser; after a change of the text, the old simulation continues until it is restarted. */
export function SimulatorPanel({ compiled, picture }: SimulatorPanelProps) {
  const [begun, setBegun] = useState<SimulatorSession | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [inputs, setInputs] = useState<Inputs>({});
  const picturesOf = usePictures(picture);
  /** Current session, also before the page is rendered again. */
  const latest = useRef<SimulatorSession | undefined>(undefined);
  /** Counter that grows with everything that invalidates a beginning under way. */
  const turn = useRef(0);
  const show = (next: SimulatorSession): void => {
    turn.current += 1;
    latest.current = next;
    setBegun(next);
  };
  const begin = async (given: Inputs = inputs): Promise<void> => {
    const { program } = compiled.compilation;
    if (program === undefined) return;
    turn.current += 1;
    const ours = turn.current;
    try {
      const simulation = await beginSimulation(program, Date.now(), given);
      // The text has changed meanwhile, or a choice was made that would be lost.
      if (turn.current !== ours) return;
      setProblem(undefined);
      const history = { moments: [{ choice: undefined, simulation }], index: 0 };
      show({ compiled, program, inputs: given, history });
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  useEffect(() => {
    // Nothing was chosen yet that would be lost.
    if (latest.current === undefined || latest.current.history.moments.length === 1) void begin();
  }, [compiled]);

  const canBegin = compiled.compilation.program !== undefined;
  const notice =
    problem ??
    (canBegin ? undefined : 'This pipeline has errors: it can be stepped through once they are gone.');
  const isOld = begun !== undefined && begun.compiled.text !== compiled.text;
  return (
    <div class="simulator">
      {notice !== undefined && (
        <p class="notice small" data-state="waiting" role="status">
          {notice}
        </p>
      )}
      {isOld && canBegin && (
        <p class="notice small simulator-old" data-state="waiting" role="status">
          The text has changed since this simulation began.{' '}
          <Button onClick={() => void begin()}>Restart with the new text</Button>
        </p>
      )}
      {canBegin && (
        <SimulatorInputs
          declared={declaredInputs(compiled.compilation.graph)}
          onBegin={(given) => {
            setInputs(given);
            void begin(given);
          }}
        />
      )}
      {begun !== undefined ? (
        <SimulatorView
          begun={begun}
          picture={picturesOf(begun.compiled.text)}
          onHistory={(history) => show({ ...begun, history })}
          onRestart={() => void begin()}
        />
      ) : (
        notice === undefined && <Loading what="the simulator" />
      )}
    </div>
  );
}

/** The pictures that were drawn lately, by their text: that of a simulation may not be the latest. */
function usePictures(picture: Picture | undefined): (text: string) => string | undefined {
  const seen = useRef<readonly Picture[]>([]);
  if (picture !== undefined && !seen.current.some(({ text }) => text === picture.text))
    seen.current = [...seen.current.slice(-3), picture];
  return (text) => seen.current.find((one) => one.text === text)?.svg;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
