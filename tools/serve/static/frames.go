package static

import (
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// hostName is a name as DNS has it.
var hostName = regexp.MustCompile(`^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\.)*[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)

// CheckFrames reports an error unless frames is what New takes: origins with spaces
// between them. They become part of a header, in which a semicolon would begin another
// rule and a star would mean every site.
func CheckFrames(frames string) error {
	for origin := range strings.FieldsSeq(frames) {
		if !isOrigin(origin) {
			return fmt.Errorf("%.100q is no origin: write a scheme, a host and perhaps a port, such as https://example.org or http://localhost:8080, with spaces between several", origin)
		}
	}
	return nil
}

func isOrigin(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Scheme+"://"+u.Host != text {
		return false
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return false
		}
	} else if strings.HasSuffix(u.Host, ":") {
		return false
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil {
		return ip.Is4() || strings.HasPrefix(u.Host, "[") && ip.Zone() == ""
	}
	return hostName.MatchString(u.Hostname())
}
