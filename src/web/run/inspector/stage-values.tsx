import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { givenWords } from '../../../view/given-words.js';
import type { StageVisit } from '../../../view/stage-schema.js';
import type { StageValues as Values } from '../../../view/stage-values.js';
import { ProblemNotice } from '../../ui/problem-notice.jsx';
import { useResource } from '../../ui/use-resource.js';
import { ValueList } from '../values/value-list.jsx';

interface StageValuesProps {
  readonly runId: string;
  /** Path of the stage at the server. */
  readonly path: string;
  readonly visit: StageVisit;
  /** Texts among the inputs and outputs, which are files. */
  readonly inputs: readonly VNode[];
  readonly outputs: readonly VNode[];
}

/** Inputs and outputs of a visit: its prompt or command with the values that it read, its answer or output with those that it gave. */
export function StageValues({ runId, path, visit, inputs, outputs }: StageValuesProps) {
  const address = `${path}/values?visit=${visit.visit}`;
  const { data, failure, reload } = useResource<Values>(address);
  const stamp = `${visit.status} ${visit.attempts.length}`;
  useEffect(() => {
    if (stamp !== '') reload();
  }, [reload, stamp]);
  const { read = [], gave = [] } = data ?? {};
  const own = gave.filter(({ by }) => by !== 'engine');
  const engine = gave.filter(({ by }) => by === 'engine');
  return (
    <>
      {failure !== undefined && <ProblemNotice failure={failure} onRetry={reload} />}
      {inputs.length + read.length > 0 && (
        <section class="part" aria-label="Inputs">
          <h3>Inputs</h3>
          {inputs}
          <ValueList
            runId={runId}
            values={read.map(({ name, by, value }) => ({
              name,
              note: by === 'item' ? 'item of the branch' : `in ${by}`,
              value,
            }))}
          />
        </section>
      )}
      {outputs.length + gave.length > 0 && (
        <section class="part" aria-label="Outputs">
          <h3>Outputs</h3>
          {outputs}
          <ValueList
            runId={runId}
            values={own.map((one) => ({ name: one.name, note: givenWords(one), value: one.value }))}
          />
          {engine.length > 0 && (
            <details>
              <summary>
                Set by its handler <span class="muted small">{engine.length}</span>
              </summary>
              <ValueList runId={runId} values={engine} />
            </details>
          )}
        </section>
      )}
    </>
  );
}
