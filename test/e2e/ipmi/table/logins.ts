import type { Row, Topic } from './row.ts';

const NO_SESSION = 'Error: Unable to establish IPMI v2 / RMCP+ session\n';

function unofferedSuite(suite: number): Row {
  return {
    command: `ipmitool $L -C ${suite} chassis power status`,
    covers: 'Open Session',
    exit: 1,
    complains: `Error in open session response message : no matching cipher suite\n\n${NO_SESSION}`,
  };
}

/** Successful and failed log-ins. Three wrong passwords, below the lockout limit. */
export const LOGINS: Topic = {
  title: 'Log-ins',
  machine: 'logins',
  rows: [
    ...[0, 1, 2, 8, 15].map(unofferedSuite),
    {
      // ipmitool sends nothing after the BMC's proof: the BMC reports the log-in when it has been abandoned for 5 s.
      command: 'ipmitool -I lanplus -H $H -p $P -U $U -P wrong chassis power status',
      covers: 'RAKP 2',
      exit: 1,
      complains: NO_SESSION,
      effect: { event: 'LoginRefused', says: /^Log-in of ".+" over IPMI from \S+ refused: the password is wrong/ },
    },
    {
      command: 'ipmitool -I lanplus -H $H -p $P -U nobody -P $W chassis power status',
      covers: 'RAKP 1',
      exit: 1,
      complains: NO_SESSION,
    },
    {
      command: `ipmitool -I lanplus -H $H -p $P -U '' -P $W chassis power status`,
      covers: 'RAKP 1',
      exit: 1,
      complains: NO_SESSION,
    },
    {
      command: 'ipmitool -I lan -H $H -p $P -U $U -P $W chassis power status',
      covers: '06/39',
      exit: 1,
      complains: /Authentication type NONE not supported/,
    },
    {
      command: 'ipmitool -I lan -A MD5 -H $H -p $P -U $U -P $W chassis power status',
      covers: '06/39',
      exit: 1,
      complains: /Authentication type MD5 not supported/,
    },
    {
      command: 'ipmipower -D LAN_2_0 -h $H:$P -u nobody -p $W --stat',
      covers: 'RAKP 1',
      exit: 1,
      complains: /^/,
      prints: '127.0.0.1: username invalid\n',
    },
    {
      command: 'ipmipower -D LAN_2_0 -h $H:$P -u $U -p wrong --stat',
      covers: 'RAKP 2',
      exit: 1,
      prints: '127.0.0.1: password invalid\n',
    },
    {
      command: 'ipmipower $F -k key --stat',
      covers: 'RAKP 4',
      exit: 1,
      prints: '127.0.0.1: k_g invalid\n',
    },
    {
      command: 'ipmipower $F -I 0 --stat',
      covers: 'Open Session',
      exit: 1,
      prints: '127.0.0.1: cipher suite id unavailable\n',
    },
    {
      command: 'ipmipower $F -I 8 --stat',
      covers: 'Open Session',
      exit: 1,
      prints: '127.0.0.1: cipher suite id unavailable\n',
    },
    { command: 'ipmitool $L sel elist', covers: '0A/43', prints: /Login/, settles: true },
    // The owner's password, stored in the Secret that the manager created.
    {
      command: 'ipmitool $L user set password 2 changed-password 20',
      covers: '06/47',
      prints: 'Set User Password command successful (user 2)\n',
    },
    {
      command: 'ipmitool -I lanplus -C 3 -H $H -p $P -U $U -P changed-password chassis power status',
      covers: 'RAKP 2',
      prints: /^Chassis Power is /,
      settles: true,
    },
    {
      command: 'ipmitool -I lanplus -C 3 -H $H -p $P -U $U -P changed-password user set password 2 $W 20',
      covers: '06/47',
      prints: 'Set User Password command successful (user 2)\n',
    },
    { command: '$PYGHMI "ipmi_session.attemptedhash"', covers: 'Open Session', prints: '256\n', settles: true },
  ],
};
