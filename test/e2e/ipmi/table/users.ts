import type { Topic } from './row.ts';

const AS_OPERATOR = '-I lanplus -H $H -p $P -U oper1 -P secretpass1';

/** Accounts: an additional user can log in, has the privileges of its level, and is deleted. */
export const USERS: Topic = {
  title: 'Users',
  machine: 'quiet',
  rows: [
    { command: 'ipmitool $L user list 1', covers: '06/44', prints: [/^ID  Name/, /^2 +\S+ +.*ADMINISTRATOR$/m] },
    {
      command: 'ipmitool $L user summary 1',
      covers: '06/44',
      prints: [/^Maximum IDs\s+: 16$/m, /^Enabled User Count\s+: 1$/m],
    },
    { command: 'ipmitool $L user set name 3 oper1', covers: '06/45' },
    {
      command: 'ipmitool $L user set password 3 secretpass1 20',
      covers: '06/47',
      prints: 'Set User Password command successful (user 3)\n',
    },
    {
      command: 'ipmitool $L user priv 3 3 1',
      covers: '06/43',
      prints: 'Set Privilege Level command successful (user 3)\n',
    },
    { command: 'ipmitool $L user enable 3', covers: '06/47' },
    { command: 'ipmitool $L user list 1', covers: '06/46', prints: /^3 +oper1 +.*OPERATOR$/m },
    { command: 'ipmitool $L user test 3 20 secretpass1', covers: '06/47', prints: 'Success\n' },
    {
      command: 'ipmitool $L user test 3 20 otherpass1',
      covers: '06/47',
      exit: 1,
      prints: 'Failure: password incorrect\n',
    },
    {
      command: `ipmitool ${AS_OPERATOR} -L OPERATOR chassis power status`,
      covers: 'RAKP 3',
      prints: 'Chassis Power is on\n',
    },
    {
      command: `ipmitool ${AS_OPERATOR} chassis power status`,
      covers: 'RAKP 2',
      exit: 1,
      complains: 'Error: Unable to establish IPMI v2 / RMCP+ session\n',
    },
    {
      command: `ipmipower -D LAN_2_0 -h $H:$P -u oper1 -p secretpass1 -l ADMIN --stat`,
      covers: 'RAKP 2',
      exit: 1,
      prints: '127.0.0.1: privilege level cannot be obtained for this user\n',
    },
    {
      command: `ipmitool ${AS_OPERATOR} -L OPERATOR user set name 4 other`,
      covers: '06/45',
      exit: 1,
      complains: /Insufficient privilege level/,
    },
    { command: 'ipmitool $L user disable 3', covers: '06/47' },
    {
      command: `ipmitool ${AS_OPERATOR} -L OPERATOR chassis power status`,
      covers: 'RAKP 1',
      exit: 1,
      complains: 'Error: Unable to establish IPMI v2 / RMCP+ session\n',
    },
    { command: '$PYGHMI "get_users()"', covers: '06/44', prints: [/"2": /, /"administrator"/] },
    {
      command: `$PYGHMI "create_user(4, 'third', 'secretpass2', privilege_level='user')"`,
      covers: '06/45',
      prints: /^(true|null)\n$/,
    },
    { command: 'ipmitool $L user list 1', covers: '06/46', prints: /^4 +third +.*USER$/m },
    { command: `$PYGHMI "user_delete(4)"`, covers: '06/45', prints: /^(true|null)\n$/ },
    { command: 'ipmitool $L user list 1', covers: '06/46', prints: /^4 {2}/m },
    {
      // It writes back all that it has read: all users and the LAN settings.
      command: 'bmc-config $F --checkout --filename=config; bmc-config $F --commit --filename=config',
      covers: '06/43',
    },
  ],
};
