import type { DeclaredInputs } from '../../graph/values/declared-inputs.js';
import { AnyInputs, InputFields } from '../playground/input-fields.jsx';
import type { InputTexts } from './read-changed-inputs.js';

export interface ChangedInputsProps {
  readonly declared: DeclaredInputs | undefined;
  readonly texts: InputTexts;
  readonly onChange: (texts: InputTexts) => void;
}

/** Fields for the inputs of a run that is resumed. */
export function ChangedInputs({ declared, texts, onChange }: ChangedInputsProps) {
  if (declared === undefined)
    return <AnyInputs value={texts.lines} onChange={(lines) => onChange({ ...texts, lines })} />;
  return (
    <InputFields
      declared={declared}
      values={texts.declared}
      keepsInputs={true}
      onChange={(values) => onChange({ ...texts, declared: values })}
    />
  );
}
