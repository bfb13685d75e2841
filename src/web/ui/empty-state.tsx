import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.jsx';

interface EmptyStateProps {
  readonly title: string;
  readonly icon?: IconName;
  /** It is all that the screen shows. */
  readonly isScreen?: boolean;
  /** Reason why it is empty, and advice. */
  readonly children?: ComponentChildren;
}

/** Stands where there is nothing to show, and says why. */
export function EmptyState({ title, icon = 'empty', isScreen = false, children }: EmptyStateProps) {
  return (
    <div class="empty">
      <Icon name={icon} size={40} />
      {isScreen ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children}
    </div>
  );
}
