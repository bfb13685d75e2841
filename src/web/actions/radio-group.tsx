import { useId } from 'preact/hooks';

interface RadioGroupProps<Value extends string> {
  readonly legend: string;
  readonly options: readonly { readonly value: Value; readonly text: string; readonly note?: string }[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

/** Choice of one option, each with its explanation. */
export function RadioGroup<Value extends string>(props: RadioGroupProps<Value>) {
  const { legend, options, value, onChange } = props;
  const name = useId();
  return (
    <fieldset class="radios">
      <legend>{legend}</legend>
      {options.map((option) => (
        <label class="check" key={option.value}>
          <input
            type="radio"
            name={name}
            checked={option.value === value}
            aria-labelledby={`${name}-${option.value}`}
            aria-describedby={option.note && `${name}-${option.value}-note`}
            onChange={() => onChange(option.value)}
          />
          <span>
            <span id={`${name}-${option.value}`}>{option.text}</span>
            {option.note !== undefined && (
              <span class="radio-note" id={`${name}-${option.value}-note`}>
                {option.note}
              </span>
            )}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
