import { getChannelAccess, setChannelAccess } from './channel/channel-access.ts';
import { getChannelInfo, getSystemInterfaceCapabilities } from './channel/channel-info.ts';
import { getChannelCipherSuites } from './channel/get-channel-cipher-suites.ts';
import { getIpStatistics } from './channel/get-ip-statistics.ts';
import { setChannelSecurityKeys } from './channel/set-channel-security-keys.ts';
import { chassisControl } from './chassis/chassis-control.ts';
import { chassisIdentify } from './chassis/chassis-identify.ts';
import { getChassisCapabilities, setFrontPanelEnables, setPowerCycleInterval } from './chassis/chassis-settings.ts';
import { getChassisStatus } from './chassis/get-chassis-status.ts';
import { getPohCounter } from './chassis/power-on-counter.ts';
import { setPowerRestorePolicy } from './chassis/power-restore-policy.ts';
import { getSystemBootOptions, setSystemBootOptions } from './chassis/system-boot-options.ts';
import { getSystemRestartCause } from './chassis/system-restart-cause.ts';
import type { Command } from './command.ts';
import { getDcmiCapabilitiesInfo, getDcmiSensorInfo } from './dcmi/dcmi-capabilities.ts';
import { getPowerReading, getTemperatureReadings } from './dcmi/measurements.ts';
import { getAssetTag, getControllerId, setAssetTag, setControllerId } from './dcmi/texts.ts';
import { getAcpiPowerState, setAcpiPowerState } from './device/acpi-power-state.ts';
import { getBmcGlobalEnables, getSelfTestResults, setBmcGlobalEnables } from './device/fixed-answers.ts';
import { getDeviceId } from './device/get-device-id.ts';
import { getDeviceGuid, getSystemGuid } from './device/guids.ts';
import { coldReset, warmReset } from './device/resets.ts';
import { getSystemInfoParameters, setSystemInfoParameters } from './device/system-info.ts';
import { getFruInventoryAreaInfo, readFruData, writeFruData } from './fru/fru-commands.ts';
import {
  getLanConfigurationParameters,
  setLanConfigurationParameters,
} from './channel/lan-configuration-parameters.ts';
import { getLastProcessedEventId, setLastProcessedEventId } from './pef/last-processed-event.ts';
import { armPefPostponeTimer, getPefCapabilities } from './pef/pef-capabilities.ts';
import { getPefConfigurationParameters, setPefConfigurationParameters } from './pef/pef-configuration-parameters.ts';
import { addSdr, clearSdrRepository } from './sdr/change-sdr.ts';
import {
  getSdr,
  getSdrRepositoryAllocationInfo,
  getSdrRepositoryInfo,
  getSdrRepositoryTime,
  reserveSdrRepository,
  setSdrRepositoryTime,
} from './sdr/sdr-commands.ts';
import { clearSel, reserveSel } from './sel/clear-sel.ts';
import { platformEvent } from './sel/platform-event.ts';
import { addSelEntry, deleteSelEntry, getSelEntry } from './sel/sel-entries.ts';
import { getSelAllocationInfo, getSelInfo } from './sel/sel-info.ts';
import { getSelTime, getSelTimeUtcOffset, setSelTime, setSelTimeUtcOffset } from './sel/sel-time.ts';
import { getSensorEventStatus, getSensorReading, getSensorType } from './sensor/sensor-readings.ts';
import {
  getSensorEventEnable,
  getSensorHysteresis,
  getSensorThresholds,
  setSensorEventEnable,
  setSensorHysteresis,
  setSensorThresholds,
} from './sensor/sensor-settings.ts';
import { closeSession, getSessionInfo, setSessionPrivilegeLevel } from './session/session-commands.ts';
import { getChannelAuthenticationCapabilities } from './session/get-channel-authentication-capabilities.ts';
import { activateSession, getSessionChallenge } from './session/session-challenge.ts';
import { getChannelPayloadSupport, getChannelPayloadVersion } from './sol/channel-payloads.ts';
import { activatePayload, deactivatePayload, suspendResumePayloadEncryption } from './sol/payload-activation.ts';
import { getPayloadActivationStatus, getPayloadInstanceInfo } from './sol/payload-status.ts';
import { getSolConfigurationParameters, setSolConfigurationParameters } from './sol/sol-configuration-parameters.ts';
import { getUserPayloadAccess, setUserPayloadAccess } from './sol/user-payload-access.ts';
import { setUserPassword } from './user/set-user-password.ts';
import { getUserAccess, setUserAccess } from './user/user-access.ts';
import { getUserName, setUserName } from './user/user-name.ts';
import { getWatchdogTimer, resetWatchdogTimer, setWatchdogTimer } from './watchdog/watchdog-commands.ts';

/**
 * All supported commands. Each is defined with its number, minimum privilege level (IPMI 2.0 appendix G) and section of the
 * specification; other commands are answered with 0xC1.
 */
export const COMMANDS: readonly Command[] = [
  // Chassis commands, IPMI 2.0 §28
  getChassisCapabilities,
  getChassisStatus,
  chassisControl,
  chassisIdentify,
  setPowerRestorePolicy,
  getSystemRestartCause,
  setSystemBootOptions,
  getSystemBootOptions,
  setFrontPanelEnables,
  setPowerCycleInterval,
  getPohCounter,
  // Commands for the BMC itself, IPMI 2.0 §20 and §22
  getDeviceId,
  coldReset,
  warmReset,
  getSelfTestResults,
  setAcpiPowerState,
  getAcpiPowerState,
  getDeviceGuid,
  setBmcGlobalEnables,
  getBmcGlobalEnables,
  getSystemGuid,
  setSystemInfoParameters,
  getSystemInfoParameters,
  // The watchdog timer, IPMI 2.0 §27
  resetWatchdogTimer,
  setWatchdogTimer,
  getWatchdogTimer,
  // Session commands, IPMI 2.0 §22.13 to §22.20
  getChannelAuthenticationCapabilities,
  getSessionChallenge,
  activateSession,
  setSessionPrivilegeLevel,
  closeSession,
  getSessionInfo,
  // Commands for the LAN channel, IPMI 2.0 §22.9, §22.15 and §22.22 to §22.25
  setChannelAccess,
  getChannelAccess,
  getChannelInfo,
  getChannelCipherSuites,
  setChannelSecurityKeys,
  getSystemInterfaceCapabilities,
  // User commands, IPMI 2.0 §22.26 to §22.30
  setUserAccess,
  getUserAccess,
  setUserName,
  getUserName,
  setUserPassword,
  // LAN configuration commands, IPMI 2.0 §23
  setLanConfigurationParameters,
  getLanConfigurationParameters,
  getIpStatistics,
  // Payloads and serial over LAN, IPMI 2.0 §24 and §26
  activatePayload,
  deactivatePayload,
  getPayloadActivationStatus,
  getPayloadInstanceInfo,
  setUserPayloadAccess,
  getUserPayloadAccess,
  getChannelPayloadSupport,
  getChannelPayloadVersion,
  suspendResumePayloadEncryption,
  setSolConfigurationParameters,
  getSolConfigurationParameters,
  // The Data Center Manageability Interface, DCMI 1.5
  getDcmiCapabilitiesInfo,
  getAssetTag,
  getDcmiSensorInfo,
  getPowerReading,
  getTemperatureReadings,
  setAssetTag,
  getControllerId,
  setControllerId,
  // FRU commands, IPMI 2.0 §34
  getFruInventoryAreaInfo,
  readFruData,
  writeFruData,
  // Platform event filtering, IPMI 2.0 §30: reported as unsupported
  getPefCapabilities,
  armPefPostponeTimer,
  setPefConfigurationParameters,
  getPefConfigurationParameters,
  setLastProcessedEventId,
  getLastProcessedEventId,
  // Sensor data records, IPMI 2.0 §33
  getSdrRepositoryInfo,
  getSdrRepositoryAllocationInfo,
  reserveSdrRepository,
  getSdr,
  addSdr,
  clearSdrRepository,
  getSdrRepositoryTime,
  setSdrRepositoryTime,
  // Event log commands, IPMI 2.0 §31, and Platform Event, §29.3
  getSelInfo,
  getSelAllocationInfo,
  reserveSel,
  getSelEntry,
  addSelEntry,
  deleteSelEntry,
  clearSel,
  getSelTime,
  setSelTime,
  getSelTimeUtcOffset,
  setSelTimeUtcOffset,
  platformEvent,
  // Sensor commands, IPMI 2.0 §35
  setSensorHysteresis,
  getSensorHysteresis,
  setSensorThresholds,
  getSensorThresholds,
  setSensorEventEnable,
  getSensorEventEnable,
  getSensorEventStatus,
  getSensorReading,
  getSensorType,
];
