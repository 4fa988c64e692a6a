//! Lists the names that belong to shells unless a file says otherwise.

use crate::langs::semantics::BuiltinWords;

/// Bash's words for the resolution, which pins none of them to a definition by the name alone.
pub(crate) const BUILTINS: BuiltinWords = BuiltinWords { globals: GLOBALS, members: "", member_prefix: None };

const GLOBALS: &str = "\
    . : [ [[ adduser alias ansible apk apt apt-cache apt-get arch aria2c as at autoconf automake awk aws az base32 \
    base64 basename bash bc bg bind bison blkid brew break btrfs builtin bunzip2 bzip2 caller cargo cat cc cd \
    chattr checkinstall chgrp chmod chown chpasswd chroot chsh clang clear cmake cmp column comm command compgen \
    complete compopt composer continue convert cp cpio cron crontab cryptsetup csplit curl cut date dbus-send dd \
    deb debootstrap declare depmod df diff dig dir dircolors dirname dirs disable disown dmesg dnf docker \
    docker-compose dos2unix dpkg dpkg-deb dpkg-query dpkg-reconfigure dracut du e2fsck echo ed egrep emacs enable \
    env envsubst eval exec exit expand export expr fakeroot fallocate false fc fdisk fdupes ffmpeg fg fgrep file \
    find findmnt firewall-cmd flock fold free fsck fusermount fuser g++ gawk gcc gcloud gdb gem getconf getent \
    getfacl getopt getopts gh git glibtoolize go gpasswd gpg gpg2 gradle grep groff groupadd groups gsed gsettings \
    gunzip gzip hash head help helm hexdump history host hostname hostnamectl htop iconv id ifconfig ifdown ifup \
    infocmp info initctl insmod install ionice ip iptables iw java javac jobs join journalctl jq kill killall \
    kubectl ld ldconfig ldd less let link ln loadkeys local locale localectl locate logger login logname logout \
    loginctl losetup ls lsb_release lsblk lscpu lsmod lsof lspci lsusb lua lvm lxc lz4 lzma m4 mail make man mapfile \
    mawk md5sum mdadm meson mke2fs mkdir mkfifo mkfs mkinitcpio mknod mkpasswd mksquashfs mkswap mktemp modinfo \
    modprobe more mount mountpoint mv mvn mysql mysqladmin mysqldump nano nc netcat netstat nginx nice ninja nl \
    nmcli node nohup npm nproc npx nsenter ntpdate numfmt nvim objdump od openssl pacman parallel parted partprobe \
    passwd paste patch perl pgrep php pidof ping pip pip3 pkexec pkg pkg-config pkill pnpm podman popd postgres \
    poweroff pr printenv printf ps pstree psql ptx pushd pv pwd pwgen python python2 python3 qemu-img rails rake \
    ranlib read readarray readelf readlink readonly realpath reboot rename reset restorecon return rm rmdir rmmod \
    rpm rsync ruby runuser rustc rustup scp screen script sed select seq service set setfacl setpriv setsid \
    setterm sh sha1sum sha256sum sha512sum shellcheck shift shopt shred shuf shutdown sleep snap sort source split \
    sqlite3 ss ssh ssh-add ssh-agent ssh-keygen ssh-keyscan ssh-copy-id stat stdbuf strace strip stty su sudo sum \
    suspend svn swapoff swapon sync sysctl systemctl systemd-run tac tail tar tasklist tclsh tee terraform test \
    time timedatectl timeout times tmux top touch tput tr trap tree true truncate tsort tty tune2fs type typeset \
    udevadm ulimit umask umount unalias uname uncompress unexpand uniq unlink unset unshare unsquashfs unxz unzip \
    update update-alternatives update-grub update-initramfs update-rc.d updatedb uptime useradd userdel usermod \
    users usleep uuidgen vagrant valgrind vi vim virsh visudo vmstat wait wall watch wc wget whatis whereis which \
    while whiptail who whoami wipefs write xargs xdg-open xmllint xrandr xrdb xset xxd xz yarn yes yum zcat zenity \
    zfs zgrep zip zpool zsh zstd zypper";
