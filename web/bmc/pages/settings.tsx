import type { JSX } from 'preact';
import { useCallback, useState } from 'preact/hooks';
import { Button } from '../../common/button.tsx';
import { Card } from '../../common/card.tsx';
import { Confirmation } from '../../common/confirmation.tsx';
import { CheckField, SelectField, TextField } from '../../common/field.tsx';
import { Failure, Loading, Message } from '../../common/states.tsx';
import { useAction } from '../../common/use-action.ts';
import { useBmc, useRefusal, useResource } from '../redfish/bmc-context.ts';
import type { AccountService, ComputerSystem, NetworkProtocol, SessionService } from '../redfish/resources.ts';
import type { Deed } from '../redfish/rights.ts';
import { ACCOUNT_SERVICE, MANAGER, NETWORK_PROTOCOL, SESSION_SERVICE, SYSTEM } from '../redfish/uris.ts';

export function Settings(): JSX.Element {
  const refusal = useRefusal('settings');
  return (
    <>
      {refusal !== undefined && <Message>{refusal} What you may not change is shown as it is.</Message>}
      <div class="cards">
        <Of<ComputerSystem> uri={SYSTEM} title="Machine" form={MachineForm} />
        <Of<NetworkProtocol> uri={NETWORK_PROTOCOL} title="Services" form={ServicesForm} />
        <Of<SessionService> uri={SESSION_SERVICE} title="Sessions" form={SessionForm} />
        <Of<AccountService> uri={ACCOUNT_SERVICE} title="Passwords" form={PasswordForm} />
        <Restart />
      </div>
    </>
  );
}

interface FormProps<Body> {
  body: Body;
}

interface OfProps<Body> {
  uri: string;
  title: string;
  form: (props: FormProps<Body>) => JSX.Element;
}

function Of<Body>({ uri, title, form: Form }: OfProps<Body>): JSX.Element {
  const { body, problem, refresh } = useResource<Body>(uri);
  return (
    <Card title={title}>
      {body === undefined && problem === undefined && <Loading what={title.toLowerCase()} />}
      {problem !== undefined && <Failure trouble={problem} retry={() => void refresh()} />}
      {body !== undefined && <Form body={body} />}
    </Card>
  );
}

/** Writes properties of a resource and shows it as the BMC then has it. */
function useChange(uri: string): readonly [change: (patch: object) => Promise<boolean>, isBusy: boolean] {
  const { client, store } = useBmc();
  return useAction(
    useCallback(
      async (patch: object) => {
        await client.send('PATCH', uri, patch);
        await store.refresh(uri);
        return 'The setting is saved.';
      },
      [client, store, uri],
    ),
  );
}

const POLICIES: Readonly<Record<string, string>> = {
  AlwaysOn: 'Power on (Always)',
  LastState: 'As it was (RerunOnFailure)',
  AlwaysOff: 'Stay off (Manual)',
};

function MachineForm({ body }: FormProps<ComputerSystem>): JSX.Element {
  const refusal = useRefusal('boot');
  const [change, isBusy] = useChange(SYSTEM);
  const [tag, setTag] = useState(body.AssetTag ?? '');
  const policies = body['PowerRestorePolicy@Redfish.AllowableValues'] ?? [];
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void change({ AssetTag: tag });
      }}
    >
      <SelectField
        label="When the machine fails or its node comes back"
        value={body.PowerRestorePolicy ?? ''}
        options={policies.map((policy) => [policy, POLICIES[policy] ?? policy])}
        onChange={(policy) => void change({ PowerRestorePolicy: policy })}
        hint="The run strategy of the virtual machine. It is saved at once."
        reason={refusal}
      />
      <TextField label="Asset tag" value={tag} onInput={setTag} reason={refusal} />
      <Save reason={refusal} isBusy={isBusy} isChanged={tag !== (body.AssetTag ?? '')} />
    </form>
  );
}

function ServicesForm({ body }: FormProps<NetworkProtocol>): JSX.Element {
  const refusal = useRefusal('settings');
  const [change, isBusy] = useChange(NETWORK_PROTOCOL);
  return (
    <div class="form">
      <CheckField
        label="IPMI over LAN"
        hint="UDP. Its encryption is weak by design."
        isChecked={body.IPMI.ProtocolEnabled}
        onChange={(isOn) => void change({ IPMI: { ProtocolEnabled: isOn } })}
        reason={isBusy ? 'Saving' : refusal}
      />
      <CheckField
        label="Plain HTTP"
        hint="Passwords are then readable on the network."
        isChecked={body.HTTP.ProtocolEnabled}
        onChange={(isOn) => void change({ HTTP: { ProtocolEnabled: isOn } })}
        reason={isBusy ? 'Saving' : refusal}
      />
    </div>
  );
}

interface NumbersProps {
  uri: string;
  deed: Deed;
  fields: readonly { name: string; label: string; hint?: string; value: number; min: number; max: number }[];
}

/** Numbers that are saved together. */
function Numbers({ uri, deed, fields }: NumbersProps): JSX.Element {
  const refusal = useRefusal(deed);
  const [change, isBusy] = useChange(uri);
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const changed = fields.filter(({ name, value }) => texts[name] !== undefined && texts[name] !== String(value));
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void change(Object.fromEntries(changed.map(({ name }) => [name, Number(texts[name])]))).then((isDone) => {
          // What was typed meanwhile stays.
          if (isDone)
            setTexts((now) => Object.fromEntries(Object.entries(now).filter(([name, text]) => text !== texts[name])));
        });
      }}
    >
      {fields.map(({ name, label, hint, value, min, max }) => (
        <TextField
          key={name}
          label={label}
          hint={hint}
          type="number"
          value={texts[name] ?? String(value)}
          min={min}
          max={max}
          onInput={(text) => {
            setTexts((now) => ({ ...now, [name]: text }));
          }}
          reason={refusal}
          isRequired
        />
      ))}
      <Save reason={refusal} isBusy={isBusy} isChanged={changed.length > 0} />
    </form>
  );
}

function SessionForm({ body }: FormProps<SessionService>): JSX.Element {
  const field = {
    name: 'SessionTimeout',
    label: 'Seconds without use until a session ends',
    value: body.SessionTimeout,
    min: 30,
    max: 86_400,
  };
  return <Numbers uri={SESSION_SERVICE} deed="settings" fields={[field]} />;
}

function PasswordForm({ body }: FormProps<AccountService>): JSX.Element {
  return (
    <Numbers
      uri={ACCOUNT_SERVICE}
      deed="users"
      fields={[
        {
          name: 'MinPasswordLength',
          label: 'Least characters of a password',
          value: body.MinPasswordLength,
          min: 1,
          max: 20,
        },
        {
          name: 'AccountLockoutThreshold',
          label: 'Wrong passwords until a lock',
          hint: '0: never.',
          value: body.AccountLockoutThreshold,
          min: 0,
          max: 1000,
        },
        {
          name: 'AccountLockoutDuration',
          label: 'Seconds that a lock lasts',
          value: body.AccountLockoutDuration,
          min: 0,
          max: 86_400,
        },
      ]}
    />
  );
}

function Save({
  reason,
  isBusy,
  isChanged,
}: {
  reason: string | undefined;
  isBusy: boolean;
  isChanged: boolean;
}): JSX.Element {
  return (
    <div class="buttons">
      <Button
        type="submit"
        kind="primary"
        isBusy={isBusy}
        reason={reason ?? (isChanged ? undefined : 'Nothing is changed.')}
      >
        Save
      </Button>
    </div>
  );
}

function Restart(): JSX.Element {
  const { client } = useBmc();
  const refusal = useRefusal('settings');
  const [isAsked, setAsked] = useState(false);
  const [restart, isBusy] = useAction(
    useCallback(async () => {
      await client.send('POST', `${MANAGER}/Actions/Manager.Reset`, { ResetType: 'GracefulRestart' });
      return 'The BMC restarts. This page goes on when it is back.';
    }, [client]),
  );
  return (
    <Card title="Restart the BMC">
      <p class="quiet">The machine runs on. IPMI sessions end; Redfish sessions and this page go on.</p>
      <div class="buttons">
        <Button
          kind="danger"
          reason={refusal}
          isBusy={isBusy}
          onClick={() => {
            setAsked(true);
          }}
        >
          Restart the BMC
        </Button>
      </div>
      {isAsked && (
        <Confirmation
          title="Restart the BMC?"
          yes="Restart"
          onAnswer={(isYes) => {
            setAsked(false);
            if (isYes) void restart();
          }}
        >
          It does not answer for some seconds. The machine runs on.
        </Confirmation>
      )}
    </Card>
  );
}
