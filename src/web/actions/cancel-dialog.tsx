import { tell } from '../ui/toasts.jsx';
import type { ActionDialogProps } from './action-dialog-props.js';
import { ActionForm } from './action-form.jsx';
import { useAction } from './use-action.js';

/** Asks whether a run shall really be cancelled (SEMANTICS 76). */
export function CancelDialog({ run, onClose, onDone }: ActionDialogProps) {
  const pending = useAction(run.id, 'cancel');
  const submit = (): void =>
    void pending.ask({}, ({ status }) => {
      tell(status === 'cancelled' ? `Cancelled ${run.name}` : `${run.name} is being cancelled`, 'skipped');
      onClose();
      onDone();
    });
  return (
    <ActionForm
      title={`Cancel ${run.name}?`}
      verb="Cancel the run"
      look="danger"
      pending={pending}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>
        {run.status === 'queued'
          ? 'It has not begun, and leaves the queue.'
          : 'Its stages are stopped, with their processes and child runs. Finished work is kept, and the run can be resumed where it stopped.'}
      </p>
    </ActionForm>
  );
}
