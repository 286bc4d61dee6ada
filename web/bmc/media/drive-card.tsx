import type { JSX } from 'preact';
import { useCallback } from 'preact/hooks';
import { Badge } from '../../common/badge.tsx';
import { Button } from '../../common/button.tsx';
import { Card, Facts } from '../../common/card.tsx';
import { Failure, Message } from '../../common/states.tsx';
import { useAction } from '../../common/use-action.ts';
import { usePower } from '../overview/use-power.tsx';
import { useBmc, useRefusal } from '../redfish/bmc-context.ts';
import type { Task, VirtualMedia } from '../redfish/resources.ts';
import { MEDIA, TASKS } from '../redfish/uris.ts';
import { InsertForm } from './insert-form.tsx';
import { TaskBadge, TaskProgress } from './task-progress.tsx';
import { isRunning } from './task-state.ts';

export function DriveCard({ drive, task }: DriveProps): JSX.Element {
  const { client, store, boot } = useBmc();
  const refusal = useRefusal('media');
  const boots = boot.task !== undefined && boot.task === task?.['@odata.id'];
  const hasImage = drive.Image !== null;

  const [eject, isEjecting] = useAction(
    useCallback(async () => {
      const { body } = await client.send<Extended | undefined>(
        'POST',
        `${drive['@odata.id']}/Actions/VirtualMedia.EjectMedia`,
        {},
      );
      if (boots) boot.await(undefined);
      void store.refresh(TASKS);
      await store.refresh(MEDIA);
      return resolutionOf(body) ?? 'The drive is empty.';
    }, [client, store, drive, boot, boots]),
  );

  return (
    <Card title={drive.Name} aside={<DriveBadge drive={drive} task={task} />}>
      {hasImage ? (
        <>
          <Inserted drive={drive} task={task} />
          {boots && (
            <Message>
              The machine boots from it when the import is complete. This browser tab must stay open and logged in until
              then; you may go to the other pages of this BMC in it.
            </Message>
          )}
          <div class="buttons">
            <Button reason={refusal} isBusy={isEjecting} onClick={() => void eject()}>
              Eject
            </Button>
          </div>
        </>
      ) : (
        <InsertForm drive={drive} refusal={refusal} />
      )}
    </Card>
  );
}

interface DriveProps {
  drive: VirtualMedia;
  /** The last insertion into the drive. */
  task: Task | undefined;
}

function DriveBadge({ drive, task }: DriveProps): JSX.Element {
  if (drive.Image === null) {
    return (
      <Badge tone="quiet" icon="disc">
        Empty
      </Badge>
    );
  }
  return task === undefined ? <Badge tone="good">Inserted</Badge> : <TaskBadge task={task} />;
}

function Inserted({ drive, task }: DriveProps): JSX.Element {
  const [condition] = drive.Status.Conditions ?? [];
  return (
    <>
      <Facts
        of={[
          ['Image', drive.ImageName],
          ['From', drive.Image],
          ['Guest', drive.ConnectedVia === 'NotConnected' ? 'does not see it yet' : 'has it'],
        ]}
      />
      {task !== undefined && isRunning(task) && (
        <>
          <TaskProgress task={task} />
          <p class="quiet small">{task.Messages?.[0]?.Message}</p>
        </>
      )}
      {task?.TaskState === 'Pending' && <PowerCycleNeeded />}
      {condition !== undefined && task?.TaskState !== 'Pending' && (
        <Failure trouble={{ message: sentence(condition.Message), resolution: condition.Resolution }} />
      )}
    </>
  );
}

/** The hypervisor cannot insert the image into a machine that runs. */
function PowerCycleNeeded(): JSX.Element {
  const power = usePower();
  const cycle = power.actions.find(({ type }) => type === 'PowerCycle');
  return (
    <Message tone="warn">
      <p>The image is ready. The guest gets it when the machine is powered off and on.</p>
      {cycle !== undefined && (
        <p>
          <Button
            isNarrow
            reason={power.refusal}
            isBusy={power.isBusy}
            onClick={() => {
              power.choose(cycle);
            }}
          >
            {cycle.label}
          </Button>
        </p>
      )}
      {power.question}
    </Message>
  );
}

function sentence(text = 'the guest does not have the image'): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

interface Extended {
  readonly error?: { readonly '@Message.ExtendedInfo'?: readonly { readonly Resolution?: string }[] };
  readonly '@Message.ExtendedInfo'?: readonly { readonly Resolution?: string }[];
}

/** What a successful answer asks for: a guest that keeps its image must be power-cycled. */
function resolutionOf(body: Extended | undefined): string | undefined {
  return (body?.['@Message.ExtendedInfo'] ?? body?.error?.['@Message.ExtendedInfo'])?.[0]?.Resolution;
}
