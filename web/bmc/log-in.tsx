import type { JSX } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { Button } from '../common/button.tsx';
import { TextField } from '../common/field.tsx';
import { Gate } from '../common/gate.tsx';
import { Failure, Message } from '../common/states.tsx';
import type { Trouble } from '../common/use-notices.ts';
import { useSubmit } from '../common/use-submit.ts';
import { Client, logIn, type PasswordChange } from './redfish/client.ts';
import { Problem } from './redfish/problem.ts';

interface Props {
  /** Why the last session ended, if that was not by its user. */
  reason: string;
  onLogIn: (client: Client) => void;
  onEnd: (reason: string) => void;
}

/** Where the BMC is, which says no more about it than the URL does; below `groundcrew web` with its path there. */
const PLACE = `${location.host}${location.pathname}`.replace(/\/(index\.html)?$/, '');

export function LogIn({ reason, onLogIn, onEnd }: Props): JSX.Element {
  const [change, setChange] = useState<PasswordChange>();
  useLayoutEffect(() => {
    document.title = `Log in · ${PLACE} · BMC`;
  }, []);
  return (
    <Gate name="Groundcrew BMC">
      {change === undefined ? (
        <Credentials
          reason={reason}
          onEnd={onEnd}
          onDone={(result) => {
            if (result instanceof Client) onLogIn(result);
            else setChange(result);
          }}
        />
      ) : (
        <NewPassword change={change} onDone={onLogIn} />
      )}
    </Gate>
  );
}

interface CredentialsProps {
  reason: string;
  onEnd: (reason: string) => void;
  onDone: (result: Client | PasswordChange) => void;
}

function Credentials({ reason, onEnd, onDone }: CredentialsProps): JSX.Element {
  const [user, setUser] = useState('');
  const [password, setPassword] = useState('');
  const { onSubmit, problem, isBusy } = useSubmit(async () => {
    try {
      onDone(await logIn(user, password, onEnd));
    } catch (error) {
      setPassword('');
      throw error;
    }
  });
  return (
    <form class="form" onSubmit={onSubmit}>
      <h1>Log in</h1>
      <p class="quiet place">
        BMC at <span class="mono">{PLACE}</span>
      </p>
      {reason !== '' && problem === undefined && <Message>{reason}</Message>}
      {problem !== undefined && <Failure trouble={wordsOf(problem)} />}
      <TextField label="User name" value={user} onInput={setUser} autocomplete="username" isRequired isFocused />
      <TextField
        label="Password"
        type="password"
        value={password}
        onInput={setPassword}
        autocomplete="current-password"
        isRequired
      />
      <Button type="submit" kind="primary" isBusy={isBusy}>
        Log in
      </Button>
      <p class="quiet small">The accounts are those of Redfish and IPMI. A reload of the page logs you out.</p>
    </form>
  );
}

function wordsOf(problem: Trouble): Trouble {
  if (!(problem instanceof Problem) || problem.status !== 401 || problem.isOnTheWay) return problem;
  return {
    message: 'User name or password is wrong.',
    resolution: 'After several wrong passwords an account is locked for a while, also for the right one.',
  };
}

function NewPassword({ change, onDone }: { change: PasswordChange; onDone: (client: Client) => void }): JSX.Element {
  const [password, setPassword] = useState('');
  const [again, setAgain] = useState('');
  const differs = again !== '' && again !== password;
  const { onSubmit, problem, isBusy } = useSubmit(async () => {
    if (password === again) onDone(await change.change(password));
  });
  return (
    <form class="form" onSubmit={onSubmit}>
      <h1>Set a new password</h1>
      <p>This account must get a new password before it can be used.</p>
      {problem !== undefined && <Failure trouble={problem} />}
      <TextField
        label="New password"
        type="password"
        value={password}
        onInput={setPassword}
        autocomplete="new-password"
        isRequired
        isFocused
      />
      <TextField
        label="New password again"
        type="password"
        value={again}
        onInput={setAgain}
        autocomplete="new-password"
        wrong={differs ? 'The two passwords differ.' : undefined}
        isRequired
      />
      <Button type="submit" kind="primary" isBusy={isBusy}>
        Set password and log in
      </Button>
    </form>
  );
}
