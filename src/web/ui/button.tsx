import type { ComponentProps } from 'preact';
import { Icon, type IconName } from './icon.jsx';

export interface ButtonProps extends Omit<ComponentProps<'button'>, 'icon'> {
  /** `primary` is what people most likely want, and there is one of a kind on a screen; `danger` cannot be taken back. */
  readonly look?: 'plain' | 'primary' | 'danger' | 'quiet';
  readonly icon?: IconName;
  /** Something is under way: it cannot be pressed again meanwhile, but keeps the focus. */
  readonly isBusy?: boolean;
}

/** A button; one without a text needs an `aria-label`. */
export function Button({ look = 'plain', icon, isBusy = false, children, ...rest }: ButtonProps) {
  const isIconOnly = children === undefined;
  const classes = `button button-${look}${isIconOnly ? ' button-icon' : ''}`;
  return (
    <button
      type="button"
      {...rest}
      class={`${classes} ${typeof rest.class === 'string' ? rest.class : ''}`.trim()}
      aria-disabled={isBusy || undefined}
      onClick={isBusy ? (event) => event.preventDefault() : rest.onClick}
      title={rest.title ?? (isIconOnly ? rest['aria-label'] : undefined)}
    >
      {isBusy ? <Icon name="busy" /> : icon && <Icon name={icon} />}
      {children}
    </button>
  );
}
