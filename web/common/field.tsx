import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProps {
  label: string;
  hint?: ComponentChildren;
  /** What is wrong with the value. */
  wrong?: string | undefined;
  /** Why it cannot be changed. */
  reason?: string | undefined;
}

interface TextProps extends FieldProps {
  value: string;
  onInput: (value: string) => void;
  type?: 'text' | 'password' | 'url' | 'number' | 'search';
  autocomplete?: string;
  isRequired?: boolean;
  isFocused?: boolean;
  isLong?: boolean;
  placeholder?: string;
  min?: number;
  max?: number;
}

export function TextField(props: TextProps): JSX.Element {
  const { value, onInput, type = 'text', isLong = false } = props;
  return (
    <Labelled {...props}>
      {(attributes) =>
        isLong ? (
          <textarea
            {...attributes}
            class="input"
            value={value}
            spellcheck={false}
            placeholder={props.placeholder}
            disabled={props.reason !== undefined}
            onInput={(event) => {
              onInput(event.currentTarget.value);
            }}
          />
        ) : (
          <input
            {...attributes}
            class="input"
            {...typeOf(type)}
            value={value}
            min={props.min}
            max={props.max}
            required={props.isRequired}
            autocomplete={props.autocomplete ?? 'off'}
            autoCapitalize="none"
            spellcheck={false}
            placeholder={props.placeholder}
            disabled={props.reason !== undefined}
            ref={(element) => {
              if (props.isFocused && element && element.dataset['focused'] === undefined) {
                element.dataset['focused'] = '';
                element.focus();
              }
            }}
            onInput={(event) => {
              onInput(event.currentTarget.value);
            }}
          />
        )
      }
    </Labelled>
  );
}

/** Preact's types want a literal, because some types of inputs have other attributes. */
function typeOf(type: string): { type: 'text' } {
  return { type: type as 'text' };
}

interface SelectProps extends FieldProps {
  value: string;
  options: readonly (readonly [value: string, label: string])[];
  onChange: (value: string) => void;
}

export function SelectField(props: SelectProps): JSX.Element {
  return (
    <Labelled {...props}>
      {(attributes) => (
        <select
          {...attributes}
          class="input"
          value={props.value}
          disabled={props.reason !== undefined}
          onChange={(event) => {
            props.onChange(event.currentTarget.value);
          }}
        >
          {props.options.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

interface CheckProps {
  label: string;
  hint?: ComponentChildren;
  isChecked: boolean;
  onChange: (isChecked: boolean) => void;
  reason?: string | undefined;
}

export function CheckField({ label, hint, isChecked, onChange, reason }: CheckProps): JSX.Element {
  const id = useId();
  return (
    <div class="check">
      <input
        id={id}
        type="checkbox"
        checked={isChecked}
        disabled={reason !== undefined}
        aria-describedby={`${id}-hint`}
        onChange={(event) => {
          onChange(event.currentTarget.checked);
        }}
      />
      <div>
        <label for={id}>{label}</label>
        <div id={`${id}-hint`} class="quiet small">
          {reason ?? hint}
        </div>
      </div>
    </div>
  );
}

interface Attributes {
  id: string;
  'aria-describedby': string;
  'aria-invalid': 'true' | undefined;
}

function Labelled({
  label,
  hint,
  wrong,
  reason,
  children,
}: FieldProps & { children: (attributes: Attributes) => JSX.Element }): JSX.Element {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        'aria-describedby': `${id}-hint`,
        'aria-invalid': wrong === undefined ? undefined : 'true',
      })}
      <div id={`${id}-hint`}>
        {wrong !== undefined && <div class="wrong">{wrong}</div>}
        {(reason ?? hint) !== undefined && <div class="hint">{reason ?? hint}</div>}
      </div>
    </div>
  );
}
