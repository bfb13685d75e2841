import type { DeclaredInputs } from '../../graph/values/declared-inputs.js';
import type { KeyEntry, ValueType } from '../../parser/key-list/ast.js';
import { typeText } from '../../parser/key-list/value-type.js';

interface InputFieldsProps {
  readonly declared: DeclaredInputs;
  /** Texts by input; an empty one is not given. */
  readonly values: ReadonlyMap<string, string>;
  readonly onChange: (values: ReadonlyMap<string, string>) => void;
  /** The run has its inputs already: an empty field changes nothing. */
  readonly keepsInputs?: boolean;
}

/** A field for each input that a pipeline declares, by its type (SEMANTICS 101). */
export function InputFields({ declared, values, onChange, keepsInputs = false }: InputFieldsProps) {
  if (declared.size === 0) return <p class="muted small">The pipeline takes no inputs.</p>;
  return (
    <>
      {[...declared.values()].map((entry) => (
        <div key={entry.key} class="field">
          <label for={fieldId(entry)}>
            {entry.key} <code>{hintOf(entry)}</code>
          </label>
          <InputField
            entry={entry}
            value={values.get(entry.key) ?? ''}
            instead={keepsInputs ? 'as before' : insteadOf(entry)}
            isRequired={!keepsInputs && isRequired(entry)}
            onChange={(value) => onChange(new Map(values).set(entry.key, value))}
          />
        </div>
      ))}
    </>
  );
}

interface AnyInputsProps {
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** Inputs of a pipeline that declares none. */
export function AnyInputs({ value, onChange }: AnyInputsProps) {
  return (
    <label class="field">
      <span>
        Inputs, <code>key=value</code> on each line
      </span>
      <textarea
        rows={3}
        value={value}
        spellcheck={false}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}

interface InputFieldProps {
  readonly entry: KeyEntry;
  readonly value: string;
  /** Words for an empty field. */
  readonly instead: string;
  readonly isRequired: boolean;
  readonly onChange: (value: string) => void;
}

function InputField({ entry, value, instead, isRequired: required, onChange }: InputFieldProps) {
  const choices = choicesOf(entry.type);
  if (choices === undefined) {
    const isLong = entry.type?.kind === 'list' || entry.type?.kind === 'map';
    const field = {
      id: fieldId(entry),
      value,
      spellcheck: false,
      placeholder: instead,
      required,
    };
    return isLong ? (
      <textarea rows={2} {...field} onInput={(event) => onChange(event.currentTarget.value)} />
    ) : (
      <input {...field} onInput={(event) => onChange(event.currentTarget.value)} />
    );
  }
  return (
    <select
      id={fieldId(entry)}
      value={value}
      required={required}
      onChange={(event) => onChange(event.currentTarget.value)}
    >
      <option value="">{instead}</option>
      {choices.map((choice) => (
        <option key={choice} value={choice}>
          {choice}
        </option>
      ))}
    </select>
  );
}

function fieldId({ key }: KeyEntry): string {
  return `input-${key}`;
}

function choicesOf(type: ValueType | undefined): readonly string[] | undefined {
  if (type?.kind === 'words') return type.words;
  return type?.kind === 'boolean' ? ['true', 'false'] : undefined;
}

/** A text may be empty, so that its field need not be filled in. */
function isRequired({ isOptional, default: literal, type }: KeyEntry): boolean {
  return !isOptional && literal === undefined && type?.kind !== 'string';
}

function hintOf({ type, isOptional }: KeyEntry): string {
  return `${type === undefined ? 'any' : typeText(type)}${isOptional ? '?' : ''}`;
}

function insteadOf(entry: KeyEntry): string {
  if (entry.default !== undefined) return `default: ${defaultText(entry)}`;
  if (choicesOf(entry.type) !== undefined) return entry.isOptional ? 'not given' : 'choose';
  if (entry.isOptional) return 'not given';
  return entry.type?.kind === 'list' ? '["…"]' : entry.type?.kind === 'map' ? '{"…": …}' : '';
}

function defaultText({ default: literal }: KeyEntry): string {
  const value = literal?.value;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
