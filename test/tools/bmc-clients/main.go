// Asks a BMC with bmclib, as Tinkerbell's Rufio does, and prints what came of each call as a line of JSON:
// `bmclib-client [flags] CALL…`, where a call is its name and arguments with colons between them, as in
// `power-set:on`, `boot-set:pxe:once:efi`, `media:CD=https://…` and `user-create:name:password:Operator`.
package main

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"sort"
	"strings"
	"time"

	"github.com/bmc-toolbox/bmclib/v2"
)

type options struct {
	host, ipmiPort, redfishPort, username, password, authority, driver string
	timeout                                                            time.Duration
}

type line struct {
	Call string `json:"call"`
	// What the library gave back.
	Result any    `json:"result,omitempty"`
	Error  string `json:"error,omitempty"`
	// The driver that did it, where the library says.
	Driver string `json:"driver,omitempty"`
}

func main() {
	var o options
	flag.StringVar(&o.host, "host", "127.0.0.1", "of the BMC")
	flag.StringVar(&o.ipmiPort, "ipmi-port", "623", "")
	flag.StringVar(&o.redfishPort, "redfish-port", "443", "")
	flag.StringVar(&o.username, "username", "", "")
	flag.StringVar(&o.password, "password", "", "")
	flag.StringVar(&o.authority, "authority", "", "file of the certificate authority that the BMC's must come from; the system's where there is none")
	flag.StringVar(&o.driver, "driver", "", "the only one to use, as gofish or ipmitool; all of them where there is none")
	flag.DurationVar(&o.timeout, "timeout", 20*time.Second, "of each call, by driver")
	flag.Parse()
	out := json.NewEncoder(os.Stdout)
	if err := run(context.Background(), o, flag.Args(), out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options, calls []string, out *json.Encoder) error {
	var roots *x509.CertPool
	if o.authority != "" {
		certificate, err := os.ReadFile(o.authority)
		if err != nil {
			return err
		}
		roots = x509.NewCertPool()
		roots.AppendCertsFromPEM(certificate)
	}
	client := bmclib.NewClient(o.host, o.username, o.password,
		bmclib.WithSecureTLS(roots),
		bmclib.WithIpmitoolPort(o.ipmiPort),
		bmclib.WithRedfishPort(o.redfishPort),
		bmclib.WithPerProviderTimeout(o.timeout),
	)
	if o.driver != "" {
		client.Registry.Drivers = client.Registry.For(o.driver)
	}
	if err := client.Open(ctx); err != nil {
		return out.Encode(line{Call: "open", Error: err.Error()})
	}
	drivers := client.GetMetadata().SuccessfulOpenConns
	sort.Strings(drivers)
	if err := out.Encode(line{Call: "open", Result: drivers}); err != nil {
		return err
	}
	for _, call := range calls {
		result, err := ask(ctx, client, call)
		said := line{Call: call, Result: result, Driver: client.GetMetadata().SuccessfulProvider}
		if err != nil {
			said.Error = err.Error()
		}
		if err := out.Encode(said); err != nil {
			return err
		}
	}
	return client.Close(ctx)
}

func ask(ctx context.Context, client *bmclib.Client, call string) (any, error) {
	// What follows an equals sign is one argument, whatever colons it has.
	words, last, isOne := strings.Cut(call, "=")
	name, arguments := "", strings.Split(words, ":")
	name, arguments = arguments[0], arguments[1:]
	if isOne {
		arguments = append(arguments, last)
	}
	argument := func(index int) string {
		if index < len(arguments) {
			return arguments[index]
		}
		return ""
	}
	switch name {
	case "power":
		return client.GetPowerState(ctx)
	case "power-set":
		return client.SetPowerState(ctx, argument(0))
	case "boot":
		return client.GetBootDeviceOverride(ctx)
	case "boot-set":
		return client.SetBootDevice(ctx, argument(0), argument(1) == "persistent", argument(2) == "efi")
	case "media":
		return client.SetVirtualMedia(ctx, argument(0), argument(1))
	case "inventory":
		return client.Inventory(ctx)
	case "users":
		return client.ReadUsers(ctx)
	case "user-create":
		return client.CreateUser(ctx, argument(0), argument(1), argument(2))
	case "user-update":
		return client.UpdateUser(ctx, argument(0), argument(1), argument(2))
	case "user-delete":
		return client.DeleteUser(ctx, argument(0))
	case "log":
		return client.GetSystemEventLog(ctx)
	case "log-clear":
		return nil, client.ClearSystemEventLog(ctx)
	case "bmc-reset":
		return client.ResetBMC(ctx, argument(0))
	case "console-deactivate":
		return nil, client.DeactivateSOL(ctx)
	case "nmi":
		return nil, client.SendNMI(ctx)
	}
	return nil, fmt.Errorf("there is no call %s", name)
}
